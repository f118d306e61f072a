import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { z } from "zod";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { banLockedUser, unbanLockedUser } from "../../auth/store/manage-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { isRowId } from "../../database/query/column-types.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { reportReasons } from "../../domain/report.ts";
import { interactions } from "../../domain/review.ts";
import {
  deleteLockedNotes,
  deleteLockedReview,
  hideNotes,
  type LockedReview,
  lockReview,
  type ReviewKey,
  restoreNotes,
  restoreReview,
} from "../../reviews/store/moderate-review.server.ts";

type Trx = Transaction<Schema>;

/** What can be decided on a report (docs/product.md §13.11). */
export const decisionActions = ["keep", "hide", "remove-note", "remove-review", "ban"] as const;

export type DecisionAction = (typeof decisionActions)[number];

export interface Decision {
  reportId: string;
  action: DecisionAction;
  reason: string | null;
  /** The notes that the operator has looked at; null if there were none. Any if not given. */
  noteId?: string | null | undefined;
}

/** `review_gone`: nothing is left to hide or remove, or the notes have changed since the operator looked at them. */
export type DecisionRefusal = "report_not_found" | "already_decided" | "review_gone";

/** Of several operators who decide at once, the first one does. */
export function decideReport(db: Kysely<Schema>, decision: Decision) {
  return transactionBefore(db, defaultDeadline(), (trx) => decideReportWithin(trx, decision));
}

export async function decideReportWithin(
  trx: Trx,
  { reportId, action, reason, noteId }: Decision,
): Promise<{ decisionId: string } | DecisionRefusal> {
  const report = await lockReport(trx, reportId);
  if (!report) return "report_not_found";
  if (report.decided_at) return "already_decided";
  const review = await lockReview(trx, report.key);
  if (!isDecidable(action, review, noteId)) return "review_gone";
  const banned = action === "ban" && !report.author_banned;
  if (banned) await banLockedUser(trx, report.key.userId);
  if (action === "keep") await countDismissals(trx, report, review, 1);
  await changeReview(trx, report, action);
  const undo = JSON.stringify({ hidden_at: report.hidden_at, review, banned } satisfies Undo);
  const { id } = await trx
    .insertInto("decisions")
    .values({ report_id: report.id, action, reason, undo })
    .returning("id")
    .executeTakeFirstOrThrow();
  await audit(trx, "decide-report", report, { decision_id: id, decision: action });
  return { decisionId: id };
}

function isDecidable(action: DecisionAction, review: LockedReview | null, seen: string | null | undefined) {
  const noteId = review?.notes ? review.note_id : null;
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
  type Row = Pick<Selectable<Schema["reports"]>, "id" | "rule" | "hidden_at" | "decided_at">;
  const { rows } = await sql<Row & { key: ReviewKey; author_banned: boolean }>`
    select id, rule, hidden_at, decided_at, json_build_object('showId', show_id, 'userId', author_id) as key,
      (select banned_at is not null from users where users.id = author_id) as author_banned
    from reports where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

/** Concerns reporters of these very notes (docs/product.md §13.12): who reported earlier ones may have been right. */
async function countDismissals(trx: Trx, report: LockedReport, review: LockedReview | null, by: 1 | -1) {
  await sql`
    update users set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
    where id in (
      select reporter_id from report_reasons
      where report_id = ${report.id} and note_id = ${review?.note_id ?? null})`.execute(trx);
}

async function changeReview(trx: Trx, { id, key, rule }: LockedReport, action: DecisionAction) {
  const hides = action === "hide" || action === "ban";
  if (action === "remove-review") await deleteLockedReview(trx, key);
  else await hideNotes(trx, key, hides ? rule : null);
  if (action === "remove-note") await deleteLockedNotes(trx, key);
  // No earlier report hides what the author writes of the show from now on.
  if (!hides)
    await sql`
      update reports set hidden_at = null where author_id = ${key.userId} and show_id = ${key.showId}`.execute(
      trx,
    );
  await sql`
    update reports set hidden_at = case when ${hides} then coalesce(hidden_at, now()) end, decided_at = now()
    where id = ${id}`.execute(trx);
}

function audit(trx: Trx, action: string, { id, key }: LockedReport, details: Record<string, string>) {
  return writeAudit(trx, action, { report_id: id, show_id: key.showId, user_id: key.userId, ...details });
}

/** What was before a decision; `banned`: whether it has banned the author. */
const undoColumn = z.object({
  hidden_at: z.coerce.date().nullable(),
  review: z
    .object({
      audience_interaction: z.enum(interactions),
      notes: z.string().nullable(),
      note_id: z.string(),
      created_at: z.coerce.date(),
      moved_by: z.string().nullable(),
      hidden_rule: z.enum(reportReasons).nullable(),
    })
    .nullable(),
  banned: z.boolean(),
});

type Undo = z.infer<typeof undoColumn>;

/** `decided_again`: a later decision on the report stands. `reported_again`: the notes are in the queue anew. */
export type UndoRefusal = "decision_not_found" | "already_undone" | "decided_again" | "reported_again";

/**
 * Undoes a decision: restores what was before, and puts the report back into the queue (§13.13). What was
 * removed is not `restored` if the author has written or deleted the review since.
 */
export function undoDecision(
  db: Kysely<Schema>,
  id: string,
): Promise<{ action: DecisionAction; reportId: string; restored: boolean } | UndoRefusal> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    if (!isRowId(id)) return "decision_not_found";
    const decisions = trx.selectFrom("decisions").select(["report_id", "action", "undo"]);
    const decision = await decisions.where("id", "=", id).executeTakeFirst();
    const report = decision && (await lockReport(trx, decision.report_id));
    if (!report) return "decision_not_found";
    const refusal = await findUndoRefusal(trx, report, id);
    if (refusal) return refusal;
    const { action } = decision;
    const undo = undoColumn.parse(decision.undo);
    const restored = await restore(trx, report, action, undo);
    await sql`
      update reports set hidden_at = ${restored ? undo.hidden_at : null}, decided_at = null
      where id = ${report.id}`.execute(trx);
    if (action === "keep") await countDismissals(trx, report, undo.review, -1);
    if (undo.banned) await unbanLockedUser(trx, report.key.userId);
    await sql`update decisions set undone_at = now() where id = ${id}`.execute(trx);
    await audit(trx, "undo-decision", report, { decision_id: id, decision: action });
    return { action, reportId: report.id, restored };
  });
}

async function findUndoRefusal(trx: Trx, { id: reportId, key }: LockedReport, id: string) {
  const { rows } = await sql<{ refusal: UndoRefusal | null }>`
    select case
      when undone_at is not null then 'already_undone'
      when exists (select from decisions as later
        where later.report_id = ${reportId} and later.id > decisions.id and later.undone_at is null) then 'decided_again'
      when exists (select from reports where author_id = ${key.userId} and show_id = ${key.showId}
        and reports.id <> ${reportId} and decided_at is null) then 'reported_again'
      end as refusal
    from decisions where id = ${id}`.execute(trx);
  return rows[0]?.refusal;
}

/** Returns whether nothing that the decision removed stays lost. */
async function restore(trx: Trx, { key, rule }: LockedReport, action: DecisionAction, undo: Undo) {
  if (undo.review && action === "remove-review") return restoreReview(trx, key, undo.review);
  if (undo.review && action === "remove-note") return restoreNotes(trx, key, undo.review);
  await hideNotes(trx, key, undo.hidden_at && rule);
  return true;
}
