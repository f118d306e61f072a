import { type RawBuilder, type Selectable, sql } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { banLockedUser, unbanLockedUser } from "../../auth/store/manage-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import { type Db, isRowId, type Schema, type Trx } from "../../database/schema.server.ts";
import type { Deadline } from "../../lib/bounded-wait.ts";
import {
  type LockedReview,
  lockReview,
  markReview,
  type ReviewKey,
} from "../../reviews/store/moderate-review.server.ts";
import { hasPage, type NoteVisibility, visibility } from "../../reviews/store/visible-notes.server.ts";
import type { QueueLink } from "./queue-links.server.ts";
import { toSeen } from "./report-queue.server.ts";

/** What operators and helpers can decide on a report (docs/product.md §13.11). */
export type DecisionAction = "keep" | "hide" | RemovingAction;

/** Those that need a command: the page of a link has only `keep` and `hide` (docs/product.md §13.22). */
export const removingActions = ["remove-note", "remove-review", "ban"] as const;

export type RemovingAction = (typeof removingActions)[number];

export type DecisionRefusal = "report_not_found" | "already_decided" | "review_gone";

export interface Decision {
  reportId: string;
  action: DecisionAction;
  reason: string | null;
  /** `toSeen` of what the operator saw. Undefined: any state. */
  seen?: string;
  forGood?: boolean;
  /** The link of the helper who decides. */
  link?: QueueLink;
}

export function decideReport(
  db: Db,
  { reportId, action, reason, seen, forGood = false, link }: Decision,
  deadline = defaultDeadline(),
): Promise<{ decisionId: string } | { refused: DecisionRefusal }> {
  return transactionBefore(db, deadline, async (trx) => {
    const report = await lockReport(trx, reportId);
    if (!report) return { refused: "report_not_found" };
    if (report.decided_at) return { refused: "already_decided" };
    const { key, rule } = report;
    const review = await lockReview(trx, key);
    const isSeen = seen === undefined || seen === toSeen(review?.noteId, report.objection);
    if (!isSeen || !isDecidable(action, review)) return { refused: "review_gone" };
    const decided = {
      note_id: review?.noteId ?? null,
      note_hash: review?.noteHash ?? null,
      hidden_before: review?.hiddenAt ?? null,
      hidden_hash: review?.hiddenHash ?? null,
    };
    const { id } = await trx
      .insertInto("decisions")
      .values({ report_id: report.id, action, reason, link: link?.number ?? null, ...decided })
      .returning("id")
      .executeTakeFirstOrThrow();
    if (action === "keep") await dismiss(trx, id);
    if (action === "ban" && !report.author_banned_at) await banLockedUser(trx, key.userId);
    const hiding = { hidden_rule: rule, hidden_hash: decided.note_hash };
    if (action === "remove-review") await markReview(trx, key, { ...hiding, removal: "review" });
    else if (action === "remove-note")
      await markReview(trx, key, { ...hiding, removal: "note", ...(forGood && { notes: null }) });
    else if (decided.note_id) await markReview(trx, key, action === "keep" ? { hidden_rule: null } : hiding);
    await sql`update reports set decided_at = now() where id = ${report.id}`.execute(trx);
    await audit(trx, "decide-report", report, { decision_id: id, decision: action }, link);
    return { decisionId: id };
  });
}

/** The latest decision that still holds. */
export async function findLastDecision(db: Db, reportId: string): Promise<DecisionRow | null> {
  const [last = null] = await findDecisions(db, sql`report_id = ${reportId} and undone_at is null`);
  return last;
}

function isDecidable(action: DecisionAction, review: LockedReview | null): boolean {
  if (action === "remove-review") return review !== null;
  return action === "keep" || action === "ban" || (review?.noteId ?? null) !== null;
}

type LockedReport = NonNullable<Awaited<ReturnType<typeof lockReport>>>;

/** Locks author and reporters, whom a decision may concern, then the report. Null if there is none. */
async function lockReport(trx: Trx, id: string) {
  if (!isRowId(id)) return null;
  const concerned = sql`id in (
    select author_id from reports where id = ${id}
    union select reporter_id from report_reasons where report_id = ${id})`;
  await lockUsers(trx, concerned);
  type Row = Pick<Selectable<Schema["reports"]>, "id" | "rule" | "decided_at" | "objection">;
  const { rows } = await sql<Row & { key: ReviewKey; author_banned_at: Date | null }>`
    select id, rule, decided_at, objection, json_build_object('showId', show_id, 'userId', author_id) as key,
      (select banned_at from users where users.id = author_id) as author_banned_at
    from reports where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Only reporters of this text: those of an earlier text may have been right (docs/product.md §13.12). */
function dismiss(trx: Trx, decisionId: string) {
  const update = sql`
    update report_reasons as reported set dismissed_by = decisions.id from decisions
    where decisions.id = ${decisionId} and decisions.report_id = reported.report_id
      and decisions.note_id = reported.note_id`;
  return countDismissals(trx, 1, update);
}

function takeDismissalsBack(trx: Trx, decisionId: string) {
  const update = sql`
    update report_reasons set dismissed_by = null where dismissed_by = ${decisionId}
      and report_id = (select report_id from decisions where id = ${decisionId})`;
  return countDismissals(trx, -1, update);
}

/** The update of `report_reasons` says whose. */
async function countDismissals(trx: Trx, by: 1 | -1, update: RawBuilder<unknown>) {
  await sql`
    with reporters as (
      ${update} returning reporter_id, former_reporter
    ), former as (
      update deleted_accounts set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
      where id in (select former_reporter from reporters where reporter_id is null)
    )
    update users set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
    where id in (select reporter_id from reporters)`.execute(trx);
}

function audit(
  trx: Trx,
  action: string,
  { id, key }: LockedReport,
  details: Record<string, string>,
  link?: QueueLink,
) {
  const by = { ...(link?.number && { link: link.number }), ...(link?.name && { helper: link.name }) };
  return writeAudit(trx, action, {
    report_id: id,
    show_id: key.showId,
    user_id: key.userId,
    ...details,
    ...by,
  });
}

export type UndoRefusal =
  | "no_decision"
  | "already_undone"
  | "decided_again"
  | "reported_again"
  | "not_stored";

/** Restores what the decision changed (docs/product.md §13.13). A link undoes only its own latest decisions. */
export function undoDecision(
  db: Db,
  id: string,
  { link, deadline = defaultDeadline() }: { link?: QueueLink; deadline?: Deadline } = {},
): Promise<{ action: DecisionAction; reportId: string } | { refused: UndoRefusal }> {
  return transactionBefore(db, deadline, async (trx) => {
    if (!isRowId(id)) return { refused: "no_decision" };
    if (link && !(await findDecisionsBy(trx, link)).some((own) => own.id === id))
      return { refused: "no_decision" };
    const decisions = trx.selectFrom("decisions").selectAll().where("id", "=", id);
    const decision = await decisions.executeTakeFirst();
    const report = decision && (await lockReport(trx, decision.report_id));
    if (!report) return { refused: "no_decision" };
    const { rows } = await sql<{ refusal: UndoRefusal | null }>`
      select ${undoRefusal} as refusal from decisions join reports on reports.id = report_id
      where decisions.id = ${id}`.execute(trx);
    if (rows[0]?.refusal) return { refused: rows[0].refusal };
    const { action, at, note_hash: noteHash, hidden_before: hidden_at, hidden_hash } = decision;
    const removes = action === "remove-note" || action === "remove-review";
    const hidden_rule = hidden_at && report.rule;
    // A hash alone is of hidden notes in whose place a kept text was shown.
    const overridden_rule = hidden_at || !hidden_hash ? null : report.rule;
    const marks = { removal: null, hidden_at, hidden_hash, hidden_rule, overridden_rule };
    const isRestored =
      (removes || noteHash !== null) &&
      (await markReview(trx, report.key, marks, { removedAt: removes ? at : null, noteHash }));
    if (removes && !isRestored) return { refused: "not_stored" };
    if (action === "keep") await takeDismissalsBack(trx, id);
    if (action === "ban" && report.author_banned_at?.getTime() === at.getTime())
      await unbanLockedUser(trx, report.key.userId);
    await sql`update reports set decided_at = null where id = ${report.id}`.execute(trx);
    await sql`update decisions set undone_at = now() where id = ${id}`.execute(trx);
    await audit(trx, "undo-decision", report, { decision_id: id, decision: action }, link);
    return { action, reportId: report.id };
  });
}

/** SQL, used with `decisions` and `reports`. */
const undoRefusal = sql<UndoRefusal | null>`case
  when undone_at is not null then 'already_undone'
  when exists (select from decisions as later join reports as others on others.id = later.report_id
    where others.author_id = reports.author_id and later.id > decisions.id and later.undone_at is null
      and (others.show_id = reports.show_id or later.note_hash = decisions.note_hash)) then 'decided_again'
  when exists (select from reports as others
    where others.author_id = reports.author_id and others.show_id = reports.show_id
      and others.id <> reports.id and others.decided_at is null) then 'reported_again'
  end`;

const DECISIONS_SHOWN = 10;

/** Newest first. */
export const findDecisionsBy = (db: Db, { number }: QueueLink) => findDecisions(db, sql`link = ${number}`);

async function findDecisions(db: Db, condition: RawBuilder<unknown>): Promise<DecisionRow[]> {
  const { rows } = await sql<DecisionRow>`
    select decisions.id, report_id as "reportId", action, at, link, title, ${undoRefusal} as refusal,
      decided_at is null as waits, ${visibility} as visibility,
      coalesce(reviews.counted, false) and ${hasPage} as counts,
      case when note_hash(notes) = note_hash then notes end as notes
    from decisions
    join reports on reports.id = report_id
    join shows on shows.id = reports.show_id
    left join present_reviews as reviews on reviews.show_id = reports.show_id and user_id = author_id
    where ${condition} order by decisions.id desc limit ${DECISIONS_SHOWN}`.execute(db);
  return rows;
}

export interface DecisionRow {
  id: string;
  reportId: string;
  action: DecisionAction;
  at: Date;
  link: number | null;
  title: string;
  /** Whether the report waits for a decision now. */
  waits: boolean;
  /** Of the notes as they are now. */
  visibility: NoteVisibility;
  /** Whether the answer is in a tally that visitors see. */
  counts: boolean;
  /** Null if they have changed since. */
  notes: string | null;
  refusal: UndoRefusal | null;
}
