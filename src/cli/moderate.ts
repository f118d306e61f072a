import { loadConfig } from "../config/environment.server.ts";
import type { Db } from "../database/schema.server.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { describeOutcome, refusals, undoRefusals } from "../moderation/decision-texts.server.ts";
import { findBursts } from "../moderation/store/bursts.server.ts";
import {
  decideReport,
  findLastDecision,
  type RemovingAction,
  undoDecision,
} from "../moderation/store/decisions.server.ts";
import { findQuarantined, setQuarantine } from "../moderation/store/quarantine.server.ts";
import { createHelperLink, findLinks, revokeLink } from "../moderation/store/queue-links.server.ts";
import { findReport, type ReportRow, toSeen } from "../moderation/store/report-queue.server.ts";
import { describeShow, describeUser, findOneUser, throwDeleted } from "./command.ts";
import { countOf, escapeControls, print, toMinute } from "./console.ts";

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

export async function createQueueLink(db: Db, name: string, { days }: { days: number }): Promise<void> {
  const { origin } = loadConfig();
  const { number, path, expires_at } = await createHelperLink(db, { name, days });
  const end = `It is not shown again. End it: npm run admin -- revoke-queue-link ${number}`;
  print(`${origin}${path}\nLink ${number}, for ${name}, works until ${toMinute(expires_at)}. ${end}`);
}

export async function listQueueLinks(db: Db): Promise<void> {
  const links = await findLinks(db);
  if (links.length === 0) print("There are no links.");
  for (const { number, name, reportId, hasEnded, end, decisions } of links)
    print(
      `${number}: ${name ?? `message about report ${reportId}`}, ${hasEnded ? "ended" : "until"} ${toMinute(end)}, ${countOf(decisions, "decision")}`,
    );
}

export async function revokeQueueLink(db: Db, number: string): Promise<void> {
  const refusal = /^\d{1,9}$/.test(number) ? await revokeLink(db, Number(number)) : { refused: "no_link" };
  if (refusal) throw new OperatorError(`No link ${number} works: queue-links lists them.`);
  print(`Link ${number} has ended. Its decisions stand; undo takes single ones back.`);
}

const BURST_DAYS = 7; // unless the operator names a time

export async function bursts(db: Db, { since }: { since?: Date }): Promise<void> {
  const found = await findBursts(db, since ?? new Date(Date.now() - BURST_DAYS * 86_400_000));
  if (found.length === 0) print("There is no burst.");
  for (const { show, size, from, to, accounts } of found) {
    print(`${describeShow(show)}: ${size} young or once-only accounts, ${from} to ${to}`);
    for (const { days, reviews, interaction, notes, ...user } of accounts)
      print(
        `  ${describeUser(user)}, ${countOf(days, "day")} old, ${countOf(reviews, "review")}: ${interaction}${notes === null ? "" : `: ${escapeControls(notes)}`}`,
      );
    if (accounts.length < size) print(`  The others follow once these are in quarantine.`);
    print(`  npm run admin -- quarantine ${accounts.map(({ id }) => id).join(" ")}\n`);
  }
}

/** Finds all users before it changes the first one. */
export async function quarantine(db: Db, emailsOrIds: readonly string[]): Promise<void> {
  if (emailsOrIds.length === 0) return listQuarantine(db);
  const users = [];
  for (const emailOrId of emailsOrIds) users.push(await findOneUser(db, emailOrId));
  for (const user of users) {
    const result = await setQuarantine(db, user.id, true);
    if ("refused" in result) throwDeleted(user.id);
    print(
      result.changed
        ? `In quarantine: ${describeUser(user)}, ${countOf(result.reviews, "review")}.`
        : `Was in quarantine before: ${describeUser(user)}.`,
    );
  }
}

async function listQuarantine(db: Db): Promise<void> {
  const users = await findQuarantined(db);
  if (users.length === 0) print("Nobody is in quarantine.");
  for (const { quarantined_at, ...user } of users)
    print(`${describeUser(user)} since ${quarantined_at.toISOString()}`);
}

export async function unquarantine(db: Db, emailOrId: string): Promise<void> {
  const user = await findOneUser(db, emailOrId);
  const result = await setQuarantine(db, user.id, false);
  if ("refused" in result) throwDeleted(user.id);
  const { changed, reviews } = result;
  if (!changed) throw new OperatorError(`${describeUser(user)} is not in quarantine.`);
  const verb = reviews === 1 ? "counts" : "count";
  print(`Out of quarantine: ${describeUser(user)}, ${countOf(reviews, "review")} ${verb} again.`);
}
