import { sql } from "kysely";
import { lockUser, lockUsers } from "../../auth/store/lock-users.server.ts";
import type { Trx } from "../../database/schema.server.ts";
import { notifySecurityEvent } from "../../database/security-log.server.ts";
import type { ReportReason } from "../../domain/report.ts";
import { markReview, type ReviewKey } from "../../reviews/store/moderate-review.server.ts";
import { isVisible } from "../../reviews/store/visible-notes.server.ts";
import { notifyOperator } from "./notify-operator.server.ts";
import { gravity, isHidden, isSignedIn } from "./report-queue.server.ts";

export interface Report {
  noteId: string;
  /** Null without a session. */
  reporterId: string | null;
  reason: ReportReason;
  /** Cleaned by `cleanText`. */
  text: string | null;
}

const ANONYMOUS_KEPT = 20; // reasons and texts without a session
const REPORTERS_TO_HIDE = 3;
const DISMISSED_TO_DISTRUST = 3;
const MAX_HIDDEN = 3; // notes that one reporter hides, before a decision
const MAX_REPORTS = 30; // of a user, in a day

/** One signed-in report with such a reason hides the note. */
const urgentReasons: readonly ReportReason[] = ["personal_data", "illegal"];

/** The rule of a report without signed-in reporters. Their reasons do not count. */
const ANONYMOUS_RULE: ReportReason = "off_topic";

/** `wait` in seconds. */
type ReportRefusal = { refused: "note_not_found" } | { refused: "too_many"; wait: number };

/**
 * Stores a report, and hides the note if enough users have reported it (docs/product.md §13.3). Locks the
 * author and the reporter, then the report, then the review, as decisions do.
 */
export async function insertReport(trx: Trx, report: Report): Promise<ReportRefusal | null> {
  const { noteId, reporterId } = report;
  const author = sql`select user_id from reviews where note_id = ${noteId}`;
  await lockUsers(trx, sql`id in (${author} union select ${reporterId}::uuid)`);
  const { isRepeat, isKept, note, wait } = await findState(trx, report);
  if (isRepeat || (note && note.userId === reporterId)) return null;
  if (!note) return { refused: "note_not_found" };
  if (wait > 0) return { refused: "too_many", wait };
  const id = await openReport(trx, note, noteId);
  await insertReason(trx, id, report);
  const hides = reporterId !== null && !isKept && (await isHiding(trx, id, noteId, reporterId));
  const { rule, isToNotify } = await updateReport(trx, id, reporterId === null, hides);
  if (hides) await markReview(trx, note, { hidden_rule: rule });
  if (isToNotify) await notifyOperator(trx);
  const effect = hides ? "hidden" : "queued";
  // Not without a session: a flood of such reports would fill the log, and they name no user.
  if (reporterId !== null)
    await notifySecurityEvent(trx, { event: "note_reported", user_id: reporterId, report_id: id, effect });
  return null;
}

/**
 * `isRepeat`: the user has reported this note before, and it waits for a decision, others do not see it, or it was
 * kept despite the same reason. `note` is null unless others see it. `wait` is the user's, in seconds.
 */
async function findState(trx: Trx, { noteId, reporterId, reason }: Report) {
  type State = { isRepeat: boolean; isKept: boolean; note: ReviewKey | null; wait: number };
  const { rows } = await sql<State>`
    with note as (
      select show_id, user_id, coalesce(verdict_on(user_id, note_hash(notes)) = 'keep', false) as kept
      from reviews where note_id = ${noteId} and ${isVisible}
    )
    select exists (
      select from report_reasons join reports on reports.id = report_id
      where report_reasons.note_id = ${noteId} and reporter_id = ${reporterId}
        and (decided_at is null or not exists (select from note)
          or exists (select from note where kept and reason = ${reason}))) as "isRepeat",
    exists (select from note where kept) as "isKept",
    (select json_build_object('showId', show_id, 'userId', user_id) from note) as note,
    coalesce((
      select extract(epoch from at + interval '1 day' - now())::float8 from report_reasons
      where reporter_id = ${reporterId}
      order by at desc offset ${MAX_REPORTS - 1} limit 1), 0) as wait`.execute(trx);
  return rows[0] ?? { isRepeat: false, isKept: false, note: null, wait: 0 };
}

/** Finds the open report of the review, or creates one. */
async function openReport(trx: Trx, { showId, userId }: ReviewKey, noteId: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select id from reports
    where author_id = ${userId} and show_id = ${showId} and decided_at is null for update`.execute(trx);
  if (rows[0]) return rows[0].id;
  const row = { show_id: showId, author_id: userId, note_id: noteId, rule: ANONYMOUS_RULE };
  return (await trx.insertInto("reports").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

/** Without a session, only the first few are stored. */
async function insertReason(trx: Trx, reportId: string, { noteId, reporterId, reason, text }: Report) {
  await sql`
    insert into report_reasons (report_id, note_id, reporter_id, reason, text)
    select id, ${noteId}::uuid, ${reporterId}::uuid, ${reason}, ${text} from reports
    where id = ${reportId}
    and (${reporterId}::uuid is not null or anonymous_count < ${ANONYMOUS_KEPT})`.execute(trx);
}

/**
 * Sets the gravest reason of signed-in reporters. The operator is notified again if the new reason moves the
 * report to the front of the queue.
 */
async function updateReport(trx: Trx, id: string, isAnonymous: boolean, hides: boolean) {
  const { rows } = await sql<{ rule: ReportReason; isToNotify: boolean }>`
    update reports set anonymous_count = anonymous_count + ${Number(isAnonymous)}, rule = now.rule,
      announced = case when reports.rule = now.rule and not ${hides} and (${isAnonymous} or signed_in > 1) then announced end
    from (
      select coalesce((array_agg(reason order by ${gravity("reason")}))[1], ${ANONYMOUS_RULE}) as rule,
        count(*) as signed_in
      from report_reasons where report_id = ${id} and ${isSignedIn}
    ) as now
    where id = ${id} returning now.rule, announced is null as "isToNotify"`.execute(trx);
  return rows[0] ?? { rule: ANONYMOUS_RULE, isToNotify: true };
}

/**
 * Whether enough signed-in reporters count to hide a note. The newest one must count, too (docs/product.md §13.3).
 * Banned, quarantined and distrusted users do not count, nor accounts of the last day, nor users who already
 * hide enough notes. A note counts as hidden until a decision, even if its author has deleted it.
 */
async function isHiding(trx: Trx, id: string, noteId: string, reporterId: string) {
  const { rows } = await sql<{ reason: ReportReason; reporterId: string }>`
    select reason, reporter_id as "reporterId" from report_reasons join users on users.id = reporter_id
    where report_id = ${id} and note_id = ${noteId} and dismissed_reports < ${DISMISSED_TO_DISTRUST}
      and banned_at is null and quarantined_at is null and users.created_at < now() - interval '1 day'
      and (
        select count(distinct reports.id) from reports
        join report_reasons as others on others.report_id = reports.id
        where others.reporter_id = users.id and decided_at is null and exists (
            select 1 from present_reviews
            where user_id = author_id and present_reviews.show_id = reports.show_id and ${isHidden}
            union all select 1 from deleted_reviews as deleted
            where deleted.user_id = author_id and deleted.show_id = reports.show_id and hidden_rule is not null
              and not exists (select from reviews where user_id = author_id and reviews.show_id = deleted.show_id))
          and not exists (select from decisions
          where report_id = reports.id and undone_at is null)) < ${MAX_HIDDEN}`.execute(trx);
  const isEnough =
    rows.length >= REPORTERS_TO_HIDE || rows.some(({ reason }) => urgentReasons.includes(reason));
  return isEnough && rows.some((counted) => counted.reporterId === reporterId);
}

/** A new text in place of a hidden or removed note stays hidden until a decision (docs/product.md §13.14). */
export async function requeueHiddenNote(trx: Trx, { showId, userId }: ReviewKey): Promise<void> {
  const { rows } = await sql`
    with note as (
      select note_id, hidden_rule, note_hash(notes) as hash from present_reviews
      where show_id = ${showId} and user_id = ${userId} and ${isHidden}
    ), latest as (
      select max(id) as id, bool_or(decided_at is null) as is_open from reports
      where author_id = ${userId} and show_id = ${showId}
    ), reopened as (
      update reports set decided_at = null, announced = null from note, latest
      where reports.id = latest.id and not is_open and not coalesce((
        select action in ('keep', 'hide', 'ban') from decisions join reports as decided on decided.id = report_id
        where author_id = ${userId} and note_hash = hash and undone_at is null
        order by decisions.id desc limit 1), false)
      returning reports.id
    ), opened as (
      insert into reports (show_id, author_id, note_id, rule)
      select ${showId}, ${userId}::uuid, note_id, hidden_rule from note, latest where latest.id is null
      returning id
    )
    select id from reopened union all select id from opened
    union all select reports.id from reports, note
      where author_id = ${userId} and show_id = ${showId} and decided_at is null
        and announced_note <> note.note_id`.execute(trx);
  if (rows.length > 0) await notifyOperator(trx);
}

/**
 * For a deleted user: deletes the texts of their reports and keeps the reasons, and the verdicts on their notes, which
 * apply again if they come back (docs/product.md §6.18). @param owner replaces the user's id
 */
export async function keepReports(trx: Trx, userId: string, owner: string): Promise<void> {
  await sql`
    update report_reasons set text = null, former_reporter = ${owner}
    where reporter_id = ${userId}`.execute(trx);
  await sql`
    insert into text_verdicts (user_id, hash, verdict)
    select distinct on (hash) ${userId}::uuid, hash, verdict_on(author_id, hash) from decisions
    join reports on reports.id = report_id cross join unnest(array[note_hash, hidden_hash]) as hash
    where author_id = ${userId} and undone_at is null and hash is not null
    on conflict (user_id, hash) do update set verdict = excluded.verdict, at = excluded.at`.execute(trx);
  await sql`update text_verdicts set user_id = ${owner} where user_id = ${userId}`.execute(trx);
}

/**
 * Objects once to the hiding of the author's note, which puts the report back into the queue (docs/product.md
 * §13.15). The same text again repeats an objection whose response was lost.
 */
export async function insertObjection(
  trx: Trx,
  { showId, userId, text }: { showId: string; userId: string; text: string },
): Promise<{ refused: "account_ended" | "nothing_hidden" | "already_objected" } | null> {
  const author = await lockUser(trx, userId);
  if (!author || author.banned) return { refused: "account_ended" };
  const { rows } = await sql<{ id: string; objection: string | null }>`
    select id, objection from reports
    where author_id = ${userId} and show_id = ${showId} and exists (
      select from present_reviews where user_id = author_id and present_reviews.show_id = reports.show_id and ${isHidden})
    order by id desc limit 1 for update`.execute(trx);
  const [report] = rows;
  if (!report) return { refused: "nothing_hidden" };
  if (report.objection === text) return null;
  if (report.objection !== null) return { refused: "already_objected" };
  await sql`
    update reports set objection = ${text}, objected_at = now(), decided_at = null
    where id = ${report.id}`.execute(trx);
  await notifyOperator(trx);
  await notifySecurityEvent(trx, { event: "objection_made", user_id: userId, report_id: report.id });
  return null;
}
