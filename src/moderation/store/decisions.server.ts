import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { banLockedUser, unbanLockedUser } from "../../auth/store/manage-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { isRowId } from "../../database/query/column-types.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import {
  type LockedReview,
  lockReview,
  markReview,
  type ReviewKey,
} from "../../reviews/store/moderate-review.server.ts";

type Trx = Transaction<Schema>;

/** docs/product.md §13.11 */
export const decisionActions = ["keep", "hide", "remove-note", "remove-review", "ban"] as const;

export type DecisionAction = (typeof decisionActions)[number];

/** What operators read, in commands and on the page of a link. */
export const outcomes: Record<DecisionAction, string> = {
  keep: "The note is shown",
  hide: "The note is hidden, and the answer still counts",
  "remove-note": "The note is removed, and the answer still counts",
  "remove-review": "The review is removed, and counts no more",
  ban: "The author is banned and the note is hidden; their reviews stay",
};

export const refusals = {
  report_not_found: "There is no such report any more: the author's account was deleted.",
  already_decided: "Somebody has decided on this report already.",
  link_used: "This link was used.",
  review_gone:
    "Nothing was decided: the author has changed or deleted the note. Look again, and keep the report if nothing is left.",
} as const;

type DecisionRefusal = keyof typeof refusals;

export interface Decision {
  reportId: string;
  action: DecisionAction;
  reason: string | null;
  /** The notes that the operator has looked at; null if there were none. Any if not given. */
  noteId?: string | null | undefined;
  forGood?: boolean;
  /** The link by which it is decided. It decides once, also when the report is in the queue again. */
  linkId?: string;
}

export function decideReport(
  db: Kysely<Schema>,
  { reportId, action, reason, noteId, forGood = false, linkId }: Decision,
  deadline = defaultDeadline(),
): Promise<{ decisionId: string } | DecisionRefusal> {
  return transactionBefore(db, deadline, async (trx) => {
    const report = await lockReport(trx, reportId);
    if (!report) return "report_not_found";
    if (linkId && (await findLastDecision(trx, reportId, linkId))) return "link_used";
    if (report.decided_at) return "already_decided";
    const { key, rule } = report;
    const review = await lockReview(trx, key);
    if (!isDecidable(action, review, noteId)) return "review_gone";
    const decided = {
      note_id: review?.noteId ?? null,
      note_hash: review?.noteHash ?? null,
      hidden_before: review?.hiddenAt ?? null,
      hidden_hash: review?.hiddenHash ?? null,
    };
    const { id } = await trx
      .insertInto("decisions")
      .values({ report_id: report.id, action, reason, link_id: linkId ?? null, ...decided })
      .returning("id")
      .executeTakeFirstOrThrow();
    if (action === "keep") await countDismissals(trx, id, 1);
    if (action === "ban" && !report.author_banned_at) await banLockedUser(trx, key.userId);
    const hiding = { hidden_rule: rule, hidden_hash: decided.note_hash };
    if (action === "remove-review") await markReview(trx, key, { ...hiding, removal: "review" });
    else if (action === "remove-note")
      await markReview(trx, key, { ...hiding, removal: "note", ...(forGood && { notes: null }) });
    else if (decided.note_id) await markReview(trx, key, action === "keep" ? { hidden_rule: null } : hiding);
    await sql`update reports set decided_at = now() where id = ${report.id}`.execute(trx);
    await audit(trx, "decide-report", report, { decision_id: id, decision: action });
    return { decisionId: id };
  });
}

/** The last decision on a report that still holds; or that of a link, whether it holds or not. */
export async function findLastDecision(db: Kysely<Schema>, reportId: string, linkId?: string) {
  const which = linkId ? sql`link_id = ${linkId}` : sql`undone_at is null`;
  const { rows } = await sql<{ action: DecisionAction; at: Date }>`
    select action, at from decisions where report_id = ${reportId} and ${which}
    order by id desc limit 1`.execute(db);
  return rows[0] ?? null;
}

function isDecidable(action: DecisionAction, review: LockedReview | null, seen: string | null | undefined) {
  const noteId = review?.noteId ?? null;
  if (seen !== undefined && seen !== noteId) return false;
  if (action === "remove-review") return review !== null;
  return action === "keep" || action === "ban" || noteId !== null;
}

type LockedReport = NonNullable<Awaited<ReturnType<typeof lockReport>>>;

/** Locks the author and the reporters, whom a decision may concern, then the report; null if there is none. */
async function lockReport(trx: Trx, id: string) {
  if (!isRowId(id)) return null;
  await lockUsers(
    trx,
    sql`id in (
      select author_id from reports where id = ${id}
      union select reporter_id from report_reasons where report_id = ${id})`,
  );
  type Row = Pick<Selectable<Schema["reports"]>, "id" | "rule" | "decided_at">;
  const { rows } = await sql<Row & { key: ReviewKey; author_banned_at: Date | null }>`
    select id, rule, decided_at, json_build_object('showId', show_id, 'userId', author_id) as key,
      (select banned_at from users where users.id = author_id) as author_banned_at
    from reports where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Concerns reporters of these very notes (docs/product.md §13.12): who reported earlier ones may have been right. */
async function countDismissals(trx: Trx, decisionId: string, by: 1 | -1) {
  await sql`
    with reporters as (
      select reporter_id, former_reporter from report_reasons join decisions using (report_id, note_id)
      where decisions.id = ${decisionId}
    ), former as (
      update deleted_accounts set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
      where id in (select former_reporter from reporters where reporter_id is null)
    )
    update users set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
    where id in (select reporter_id from reporters)`.execute(trx);
}

function audit(trx: Trx, action: string, { id, key }: LockedReport, details: Record<string, string>) {
  return writeAudit(trx, action, { report_id: id, show_id: key.showId, user_id: key.userId, ...details });
}

const undoRefusals = {
  already_undone: "This decision was taken back already.",
  decided_again: "A later decision on the same report, or the same text, stands: take that one back first.",
  reported_again: "The author's note is in the queue again, reported anew: decide on that report instead.",
};
const NO_DECISION = "There is no such decision.";
const NOT_STORED =
  "This cannot be taken back: what it removed is deleted, or the author has written or deleted it since.";

/** docs/product.md §13.13 @throws OperatorError if it cannot be taken back */
export function undoDecision(db: Kysely<Schema>, id: string) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    if (!isRowId(id)) throw new OperatorError(NO_DECISION);
    const decisions = trx.selectFrom("decisions").selectAll().where("id", "=", id);
    const decision = await decisions.executeTakeFirst();
    const report = decision && (await lockReport(trx, decision.report_id));
    if (!report) throw new OperatorError(NO_DECISION);
    const refusal = await findUndoRefusal(trx, report, id);
    if (refusal) throw new OperatorError(undoRefusals[refusal]);
    const { action, at, note_hash: noteHash, hidden_before: hidden_at, hidden_hash } = decision;
    const removes = action === "remove-note" || action === "remove-review";
    const marks = { removal: null, hidden_at, hidden_hash, hidden_rule: hidden_at && report.rule };
    const isRestored =
      (removes || noteHash !== null) &&
      (await markReview(trx, report.key, marks, { removedAt: removes ? at : null, noteHash }));
    if (removes && !isRestored) throw new OperatorError(NOT_STORED);
    if (action === "keep") await countDismissals(trx, id, -1);
    if (action === "ban" && report.author_banned_at?.getTime() === at.getTime())
      await unbanLockedUser(trx, report.key.userId);
    await sql`update reports set decided_at = null where id = ${report.id}`.execute(trx);
    await sql`update decisions set undone_at = now() where id = ${id}`.execute(trx);
    await audit(trx, "undo-decision", report, { decision_id: id, decision: action });
    return { action, reportId: report.id };
  });
}

async function findUndoRefusal(trx: Trx, { id: reportId, key }: LockedReport, id: string) {
  const { rows } = await sql<{ refusal: keyof typeof undoRefusals | null }>`
    select case
      when undone_at is not null then 'already_undone'
      when exists (select from decisions as later join reports on reports.id = later.report_id
        where author_id = ${key.userId} and later.id > decisions.id and later.undone_at is null
          and (later.report_id = ${reportId} or later.note_hash = decisions.note_hash)) then 'decided_again'
      when exists (select from reports where author_id = ${key.userId} and show_id = ${key.showId}
        and reports.id <> ${reportId} and decided_at is null) then 'reported_again'
      end as refusal
    from decisions where id = ${id}`.execute(trx);
  return rows[0]?.refusal;
}
