import { type Kysely, sql, type Transaction } from "kysely";
import { z } from "zod";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { banLockedUser, unbanLockedUser } from "../../auth/store/manage-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { isRowId } from "../../database/query/column-types.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { type ReportReason, reportReasons } from "../../domain/report.ts";
import { interactions } from "../../domain/review.ts";
import {
  type LockedReport,
  type LockedReview,
  lockReport,
  lockReview,
  updateReview,
} from "./reported-reviews.server.ts";

type Trx = Transaction<Schema>;

/** What can be decided on a report (docs/product.md §13.11). */
export const decisionActions = ["keep", "hide", "remove-note", "remove-review", "ban"] as const;

export type DecisionAction = (typeof decisionActions)[number];

export interface Decision {
  reportId: string;
  action: DecisionAction;
  /** Why, for the operator's own records. */
  reason: string | null;
  /** The notes that the operator has looked at; null if there were none. Any if not given. */
  noteId?: string | null | undefined;
}

/**
 * Why nothing was decided. `review_gone`: there is nothing left to hide or remove, or the author has changed
 * the notes since the operator looked at them.
 */
export type DecisionRefusal = "report_not_found" | "already_decided" | "review_gone";

/** Decides on a report. Of several operators who decide at once, the first one does. */
export function decideReport(
  db: Kysely<Schema>,
  decision: Decision,
): Promise<{ decisionId: string } | DecisionRefusal> {
  return transactionBefore(db, defaultDeadline(), (trx) => decideReportWithin(trx, decision));
}

/** Decides on a report as part of a transaction. */
export async function decideReportWithin(
  trx: Trx,
  { reportId, action, reason, noteId }: Decision,
): Promise<{ decisionId: string } | DecisionRefusal> {
  const report = await lockReport(trx, reportId);
  if (!report) return "report_not_found";
  if (report.decided_at) return "already_decided";
  const review = await lockReview(trx, report);
  if (!isDecidable(action, review, noteId)) return "review_gone";
  const undo: Undo = { ...hidingOf(report, review), review, banned: false };
  if (action === "keep") await countDismissals(trx, report, review, 1);
  if (action === "ban") undo.banned = await ban(trx, report.author_id);
  await changeReview(trx, report, action);
  return { decisionId: await recordDecision(trx, report, { action, reason, undo }) };
}

function isDecidable(action: DecisionAction, review: LockedReview | null, seen: string | null | undefined) {
  const noteId = review?.notes ? review.note_id : null;
  if (seen !== undefined && seen !== noteId) return false;
  if (action === "remove-review") return review !== null;
  return action === "keep" || action === "ban" || noteId !== null;
}

/**
 * Counts a dismissed report for each signed-in reporter of these very notes (docs/product.md §13.12). Whoever
 * reported earlier ones may have been right.
 */
async function countDismissals(trx: Trx, report: LockedReport, review: LockedReview | null, by: 1 | -1) {
  if (!review) return;
  await sql`
    update users set dismissed_reports = greatest(dismissed_reports + ${by}::integer, 0)
    where id in (
      select reporter_id from report_reasons where report_id = ${report.id} and note_id = ${review.note_id})`.execute(
    trx,
  );
}

/** Returns whether the author was not banned before. */
async function ban(trx: Trx, userId: string): Promise<boolean> {
  const author = await lockUser(trx, userId);
  await banLockedUser(trx, userId);
  return author !== null && !author.banned;
}

function hidingOf({ hidden_at, rule }: LockedReport, review: LockedReview | null) {
  return { hidden_at, hidden_rule: review ? review.hidden_rule : hidden_at && rule };
}

/** Changes the review, and takes the report out of the queue. */
async function changeReview(trx: Trx, report: LockedReport, action: DecisionAction): Promise<void> {
  const hides = action === "hide" || action === "ban";
  if (action === "remove-review") {
    await trx
      .deleteFrom("reviews")
      .where("show_id", "=", report.show_id)
      .where("user_id", "=", report.author_id)
      .execute();
  } else {
    await updateReview(trx, report)
      .set({ hidden_rule: hides ? report.rule : null, ...(action === "remove-note" && { notes: null }) })
      .execute();
  }
  await sql`
    update reports set hidden_at = case when ${hides} then coalesce(hidden_at, now()) end, decided_at = now()
    where id = ${report.id}`.execute(trx);
  if (!hides) await stopHiding(trx, report);
}

/** No earlier report hides what the author writes of the show from now on. */
async function stopHiding(trx: Trx, { show_id, author_id }: LockedReport): Promise<void> {
  const reports = trx
    .updateTable("reports")
    .where("author_id", "=", author_id)
    .where("show_id", "=", show_id);
  await reports.set({ hidden_at: null }).execute();
}

async function recordDecision(
  trx: Trx,
  report: LockedReport,
  { action, reason, undo }: { action: DecisionAction; reason: string | null; undo: Undo },
): Promise<string> {
  const { id } = await trx
    .insertInto("decisions")
    .values({ report_id: report.id, action, reason, undo: JSON.stringify(undo) })
    .returning("id")
    .executeTakeFirstOrThrow();
  await writeAudit(trx, "decide-report", { ...idsOf(report), decision_id: id, decision: action });
  return id;
}

function idsOf({ id, show_id, author_id }: LockedReport) {
  return { report_id: id, show_id, user_id: author_id };
}

/** What was before a decision. */
interface Undo {
  hidden_at: Date | null;
  hidden_rule: ReportReason | null;
  review: LockedReview | null;
  /** Whether the decision has banned the author. */
  banned: boolean;
}

const undoColumn: z.ZodType<Undo> = z.object({
  hidden_at: z.coerce.date().nullable(),
  hidden_rule: z.enum(reportReasons).nullable(),
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

/**
 * Why a decision cannot be undone. `decided_again`: a later decision on the report stands. `reported_again`:
 * the author's notes are in the queue anew.
 */
export type UndoRefusal = "decision_not_found" | "already_undone" | "decided_again" | "reported_again";

export interface UndoneDecision {
  action: DecisionAction;
  reportId: string;
  /** Whether what was removed is back. It is not if the author has written or deleted the review since. */
  restored: boolean;
}

/** Undoes a decision: restores what was before, and puts the report back into the queue (§13.13). */
export function undoDecision(db: Kysely<Schema>, id: string): Promise<UndoneDecision | UndoRefusal> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const decision = await findDecision(trx, id);
    const report = decision && (await lockReport(trx, decision.report_id));
    if (!report) return "decision_not_found";
    const refusal = await findUndoRefusal(trx, report, id);
    if (refusal) return refusal;
    const { action } = decision;
    const undo = undoColumn.parse(decision.undo);
    const restored = await restoreReview(trx, report, action, undo);
    const hidden_at = restored || !removes(action) ? undo.hidden_at : null;
    await trx
      .updateTable("reports")
      .set({ hidden_at, decided_at: null })
      .where("id", "=", report.id)
      .execute();
    if (action === "keep") await countDismissals(trx, report, undo.review, -1);
    if (undo.banned) await unbanLockedUser(trx, report.author_id);
    await trx.updateTable("decisions").set({ undone_at: sql`now()` }).where("id", "=", id).execute();
    await writeAudit(trx, "undo-decision", { ...idsOf(report), decision_id: id, decision: action });
    return { action, reportId: report.id, restored };
  });
}

async function findDecision(trx: Trx, id: string) {
  if (!isRowId(id)) return null;
  const decisions = trx.selectFrom("decisions").select(["report_id", "action", "at", "undo"]);
  return (await decisions.where("id", "=", id).executeTakeFirst()) ?? null;
}

async function findUndoRefusal(trx: Trx, report: LockedReport, id: string): Promise<UndoRefusal | null> {
  const { rows } = await sql<{ refusal: UndoRefusal | null }>`
    select case
      when undone_at is not null then 'already_undone'
      when exists (select from decisions as later
        where later.report_id = ${report.id} and later.id > decisions.id and later.undone_at is null) then 'decided_again'
      when exists (select from reports where author_id = ${report.author_id} and show_id = ${report.show_id}
        and reports.id <> ${report.id} and decided_at is null) then 'reported_again'
      end as refusal
    from decisions where id = ${id}`.execute(trx);
  return rows[0] ? rows[0].refusal : "decision_not_found";
}

function removes(action: DecisionAction): boolean {
  return action === "remove-note" || action === "remove-review";
}

/** Returns whether nothing that the decision removed stays lost. */
async function restoreReview(
  trx: Trx,
  report: LockedReport,
  action: DecisionAction,
  { review, hidden_rule }: Undo,
): Promise<boolean> {
  if (action === "remove-review") return review !== null && insertReview(trx, report, review);
  if (action === "remove-note") return review !== null && restoreNotes(trx, report, review);
  await updateReview(trx, report).set({ hidden_rule }).execute();
  return true;
}

/** Inserts a removed review as it was, unless its author has written another one. */
async function insertReview(trx: Trx, { show_id, author_id }: LockedReport, review: LockedReview) {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("reviews")
    .values({ show_id, user_id: author_id, ...review })
    .onConflict((conflict) => conflict.columns(["show_id", "user_id"]).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Restores removed notes, unless the author has changed the review. */
async function restoreNotes(trx: Trx, report: LockedReport, review: LockedReview): Promise<boolean> {
  const { notes, note_id, hidden_rule, audience_interaction, created_at } = review;
  const { numUpdatedRows } = await updateReview(trx, report)
    .where("notes", "is", null)
    .where("audience_interaction", "=", audience_interaction)
    .where("created_at", "=", created_at)
    .set({ notes, hidden_rule })
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  // Separately: a trigger gives notes that change a new id.
  await updateReview(trx, report).set({ note_id }).execute();
  return true;
}
