import { type Kysely, type RawBuilder, sql } from "kysely";
import { isoTime, isRowId } from "../../database/query/column-types.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../domain/report.ts";
import type { Interaction } from "../../domain/review.ts";

const TEXTS_SHOWN = 10;
const OTHER_NOTES_SHOWN = 5;

/** A report as the operator sees it (docs/product.md §13.10). */
export interface Report {
  id: string;
  /** The gravest reason that was given. */
  rule: ReportReason;
  opened_at: Date;
  /** Null while the report is in the queue. */
  decided_at: Date | null;
  /** Since when it hides the notes. */
  hidden_at: Date | null;
  objection: string | null;
  show: { id: string; title: string };
  author: { id: string; email: string };
  /** The review as it is now; null if it was deleted. */
  review: {
    audience_interaction: Interaction;
    notes: string | null;
    /** Another one once the notes change. */
    note_id: string;
    created_at: string;
  } | null;
  /** Whether the notes were written anew since somebody first reported them. */
  rewritten: boolean;
  reporters: { signed_in: number; anonymous: number };
  /** Gravest first. Of people who are not signed in, only the first few are here. */
  reasons: { reason: ReportReason; count: number }[];
  /** The newest ones first. */
  texts: { reason: ReportReason; text: string }[];
}

/** The reports that wait for a decision: gravest rule first, then objections, then the oldest. */
export async function findOpenReports(db: Kysely<Schema>): Promise<Report[]> {
  const { rows } = await selectReports(sql`reports.decided_at is null`).execute(db);
  return rows;
}

/** A report, decided or not, with the newest other notes of the author; null if there is none. */
export async function findReport(db: Kysely<Schema>, id: string) {
  if (!isRowId(id)) return null;
  const { rows } = await selectReports(sql`reports.id = ${id}`).execute(db);
  const [report] = rows;
  return report ? { ...report, other_notes: await findOtherNotes(db, report) } : null;
}

function selectReports(condition: RawBuilder<unknown>) {
  return sql<Report>`
    select reports.id, rule, opened_at, decided_at, hidden_at, objection,
      json_build_object('id', shows.id, 'title', shows.title) as show,
      json_build_object('id', users.id, 'email', users.email) as author,
      case when reviews.show_id is not null then json_build_object(
        'audience_interaction', audience_interaction, 'notes', notes, 'note_id', reviews.note_id,
        'created_at', ${isoTime("reviews.created_at")}) end as review,
      coalesce(notes is not null and reviews.note_id <> reports.note_id, false) as rewritten,
      json_build_object('anonymous', anonymous_count, 'signed_in', (
        select count(*) from report_reasons where report_id = reports.id and reporter_id is not null)) as reporters,
      coalesce((
        select json_agg(json_build_object('reason', reason, 'count', count) order by ${gravity("reason")})
        from (select reason, count(*) from report_reasons where report_id = reports.id group by reason) as counted
      ), '[]') as reasons,
      coalesce((
        select json_agg(json_build_object('reason', reason, 'text', text) order by id desc)
        from (
          select id, reason, text from report_reasons where report_id = reports.id and text is not null
          order by id desc limit ${TEXTS_SHOWN}
        ) as newest
      ), '[]') as texts
    from reports
    join shows on shows.id = reports.show_id
    join users on users.id = reports.author_id
    left join reviews on reviews.show_id = reports.show_id and reviews.user_id = reports.author_id
    where ${condition}
    order by ${gravity("rule")}, objection is null, opened_at, reports.id`;
}

/** The position of a rule among all, gravest first. */
function gravity(column: string) {
  return sql`array_position(${[...reportReasons]}::text[], ${sql.ref(column)})`;
}

async function findOtherNotes(db: Kysely<Schema>, { author, show }: Report) {
  const { rows } = await sql<{ show: Report["show"]; notes: string; created_at: Date }>`
    select json_build_object('id', shows.id, 'title', title) as show, notes, reviews.created_at
    from reviews join shows on shows.id = show_id
    where user_id = ${author.id} and show_id <> ${show.id} and notes is not null
    order by reviews.created_at desc, show_id limit ${OTHER_NOTES_SHOWN}`.execute(db);
  return rows;
}
