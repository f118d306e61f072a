import { type RawBuilder, sql } from "kysely";
import { type Db, isoTime, isRowId, type Trx } from "../../database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../domain/report.ts";
import type { Interaction } from "../../domain/review.ts";
import { type NoteVisibility, visibility } from "../../reviews/store/visible-notes.server.ts";

/** Reports on a page of the queue. */
const PAGE_SIZE = 20;
const TEXTS_SHOWN = 10;

/** A report as the operator sees it (docs/product.md §13.10). */
export interface ReportRow {
  id: string;
  rule: ReportReason;
  /** Of the report, or of its objection. */
  waits_since: Date;
  visibility: NoteVisibility;
  objection: string | null;
  show: { id: string; title: string };
  author: { id: string; email: string };
  /** The current review; null if it was deleted. */
  review: {
    audience_interaction: Interaction;
    notes: string | null;
    /** Null without notes. */
    note_id: string | null;
    created_at: string;
  } | null;
  rewritten: boolean;
  reporters: { signed_in: number; anonymous: number };
  /** Those of signed-in users first, then the gravest. Without a session, only the first few are stored. */
  reasons: { reason: ReportReason; signed_in: boolean; count: number }[];
  /** The newest first. */
  texts: string[];
}

/** Identifies what a decision is about: the note, if there is one, and the objection. */
export const toSeen = (noteId: string | null | undefined, objection: string | null) =>
  `${noteId ?? ""}${objection === null ? "" : " objection"}`;

/** SQL, used with `present_reviews`. */
export const isHidden = sql<boolean>`(notes is not null and hidden_rule is not null)`;

/** SQL, used with `reports` and `reviews`: the note has changed since it was hidden or reported. */
export const isRewritten = sql<boolean>`coalesce(case when ${isHidden}
  then note_hash(notes) is distinct from hidden_hash
  else notes is not null and reviews.note_id <> reports.note_id end, false)`;

/** SQL, used with `report_reasons`. Also true for users who have deleted their account. */
export const isSignedIn = sql<boolean>`(reporter_id is not null or former_reporter is not null)`;

export const gravity = (column: string) =>
  sql`array_position(${[...reportReasons]}::text[], ${sql.ref(column)})`;

/** Commands, messages and pages share this order (docs/product.md §13.10). */
export const queueOrder = sql`
  case when ${isHidden} then 0
    when exists (select from report_reasons where report_id = reports.id and ${isSignedIn}) then 1
    else 2 end,
  ${gravity("rule")}, opened_at, reports.id`;

/** A page of open reports, or one report if it is open. Past the end, the last page. */
export async function findQueuePage(db: Db, wanted: number, reportId: string | null) {
  const waits = sql`decided_at is null and (${reportId}::bigint is null or reports.id = ${reportId})`;
  const { rows } = await sql<{ total: number }>`
    select count(*)::integer as total from reports where ${waits}`.execute(db);
  const total = rows[0]?.total ?? 0;
  const pages = Math.max(Math.ceil(total / PAGE_SIZE), 1);
  const page = Math.min(wanted, pages);
  // Only reports on the page need their details.
  const ids = sql`
    select reports.id from reports left join ${reviewOfReport} where ${waits}
    order by ${queueOrder} limit ${PAGE_SIZE} offset ${PAGE_SIZE * (page - 1)}`;
  const reports = await findReports(db, sql`reports.id in (${ids})`);
  return { total, page, pages, reports };
}

/** Open or decided. */
export async function findReport(db: Db, id: string): Promise<ReportRow | null> {
  const [report = null] = isRowId(id) ? await findReports(db, sql`reports.id = ${id}`) : [];
  return report;
}

const list = (rows: RawBuilder<unknown>) => sql`coalesce((select json_agg(one) from (${rows}) as one), '[]')`;

const reviewOfReport = sql`present_reviews as reviews
  on reviews.show_id = reports.show_id and reviews.user_id = reports.author_id`;

async function findReports(db: Db, condition: RawBuilder<unknown>): Promise<ReportRow[]> {
  const { rows } = await sql<ReportRow>`
    select reports.id, rule, greatest(opened_at, objected_at) as waits_since, objection,
      json_build_object('id', shows.id, 'title', shows.title) as show,
      json_build_object('id', users.id, 'email', users.email) as author,
      case when reviews.show_id is not null then json_build_object(
        'audience_interaction', audience_interaction, 'notes', notes, 'note_id', case when notes is not null then reviews.note_id end,
        'created_at', ${isoTime("reviews.created_at")}) end as review,
      ${visibility} as visibility, ${isRewritten} as rewritten,
      json_build_object('anonymous', anonymous_count, 'signed_in', (
        select count(*) from report_reasons where report_id = reports.id and ${isSignedIn})) as reporters,
      ${list(sql`
        select reason, ${isSignedIn} as signed_in, count(*) from report_reasons where report_id = reports.id
        group by 1, 2 order by signed_in desc, ${gravity("reason")}`)} as reasons,
      array(select text from report_reasons where report_id = reports.id and text is not null
        order by id desc limit ${TEXTS_SHOWN}) as texts
    from reports
    join shows on shows.id = reports.show_id
    join users on users.id = reports.author_id
    left join ${reviewOfReport}
    where ${condition}
    order by ${queueOrder}`.execute(db);
  return rows;
}

/** Figures of moderation (docs/product.md §13.20). They use small indexes: each scrape may run this. */
export async function findModerationFigures(db: Db) {
  // `oldestAt`: since when the oldest open report or objection waits.
  const { rows } = await sql<{ openReports: number; oldestAt: Date | null; hiddenNotes: number }>`
    select count(*)::integer as "openReports", min(greatest(opened_at, objected_at)) as "oldestAt",
      (select count(*)::integer from reviews where hidden_rule is not null and notes is not null and removed_at is null) as "hiddenNotes"
    from reports where decided_at is null`.execute(db);
  return rows[0] ?? { openReports: 0, oldestAt: null, hiddenNotes: 0 };
}

/** As SQL's `count_moderation` counted: includes deleted reports. Oldest year first. */
export async function findYearlyCounts(db: Db) {
  type Counts = { year: number; reports: number; objections: number; decisions: Record<string, number> };
  const { rows } = await sql<Counts>`
    select year, coalesce(sum(count) filter (where event = 'report'), 0)::integer as reports,
      coalesce(sum(count) filter (where event = 'objection'), 0)::integer as objections,
      coalesce(json_object_agg(event, count) filter (where event not in ('report', 'objection') and count > 0), '{}') as decisions
    from moderation_counts group by year order by year`.execute(db);
  return rows;
}

/** Reports by a user, and reports of the user's notes with decisions, but not who reported them. */
export async function copyReports(trx: Trx, userId: string) {
  const made = await sql<object>`
    select show_id, report_reasons.reason, text, report_reasons.at
    from report_reasons join reports on reports.id = report_id
    where reporter_id = ${userId} order by report_reasons.id`.execute(trx);
  const ofNotes = await sql<object>`
    select show_id, rule, opened_at, objection, objected_at, decided_at, ${list(sql`
      select action as decision, reason, at, undone_at from decisions
      where report_id = reports.id order by id`)} as decisions
    from reports where author_id = ${userId} order by id`.execute(trx);
  return { reports_made: made.rows, reports_of_your_notes: ofNotes.rows };
}
