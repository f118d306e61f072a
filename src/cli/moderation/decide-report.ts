import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { describeOutcome, refusals, undoRefusals } from "../../moderation/decision-texts.server.ts";
import {
  decideReport,
  findLastDecision,
  type RemovingAction,
  undoDecision,
} from "../../moderation/store/decisions.server.ts";
import { findReport, type ReportRow, toSeen } from "../../moderation/store/report-queue.server.ts";
import { describeShow, describeUser } from "../command.ts";
import { escapeControls, print } from "../console.ts";

/** What the queue's page cannot: removes and bans. Decides on the note that it prints. */
export async function decideReportByHand(
  db: Db,
  id: string,
  action: RemovingAction,
  { reason, forGood }: { reason?: string; forGood?: boolean },
): Promise<void> {
  const report = await findReport(db, id);
  if (!report) throw new OperatorError(`There is no report ${id}.`);
  const { show, author, review, objection } = report;
  print(`Report ${id} on ${describeShow(show)} by ${describeUser(author)}: ${describeNote(review)}`);
  // Personal data is deleted at once, unless the operator says otherwise (docs/product.md §13.11).
  const isForGood = action === "remove-note" && (forGood ?? report.rule === "personal_data");
  if (isForGood) print("This deletes the text of the note for good: it cannot be undone.");
  const seen = toSeen(review?.note_id, objection);
  const decision = { reportId: id, action, reason: reason?.trim() || null, seen, forGood: isForGood };
  const decided = await decideReport(db, decision);
  if ("refused" in decided) throw new OperatorError(refusals[decided.refused]);
  const outcome = await findLastDecision(db, id);
  const undo = isForGood ? "" : ` Undo: npm run admin -- undo ${decided.decisionId}`;
  print(`${outcome ? describeOutcome(outcome) : "Decided"}.${undo}`);
}

function describeNote(review: ReportRow["review"]): string {
  if (!review) return "(the review was deleted or removed since)";
  return review.notes === null ? "(the note was removed since)" : escapeControls(review.notes);
}

export async function undo(db: Db, decisionId: string): Promise<void> {
  const undone = await undoDecision(db, decisionId);
  if ("refused" in undone) throw new OperatorError(undoRefusals[undone.refused]);
  print(`Took ${undone.action} back. Report ${undone.reportId} waits for a decision again.`);
}
