import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import { findOpenReports, findReport, type ReportRow } from "../../moderation/store/report-queue.server.ts";
import { describeShow, describeUser } from "../command.ts";
import { escapeControls, print, toMinute } from "../console.ts";
import { count, plural } from "../progress-bar.ts";

export async function reports(db: Db, id: string | undefined, { json }: { json?: boolean }): Promise<void> {
  const found = id === undefined ? await findOpenReports(db) : await findOneReport(db, id);
  if (json) print(JSON.stringify(found, null, 2));
  else if (!Array.isArray(found)) print(describeReport(found));
  else if (found.length === 0) print("No report waits for a decision.");
  else for (const report of found) print(describeLine(report));
}

export async function findOneReport(db: Db, id: string): Promise<ReportRow> {
  const report = await findReport(db, id);
  if (!report) throw new OperatorError(`There is no report ${id}.`);
  return report;
}

export function describeLine(report: ReportRow): string {
  const state = [
    report.rule,
    ...(report.objection ? ["OBJECTION"] : []),
    `since ${toMinute(report.opened_at)}`,
    ...(report.hidden_at ? ["hidden"] : []),
    ...(report.rewritten && report.hidden_at ? ["CHANGED"] : []),
    `reported by ${count(report.reporters.signed_in + report.reporters.anonymous)}`,
  ];
  return `${report.id}: ${state.join(", ")}: ${describeShow(report.show)}: ${describeNote(report)}`;
}

export function describeReport(report: ReportRow): string {
  const { id, show, review, author, rule, reporters, hidden_at, decided_at, objection } = report;
  const lines = [
    `Report ${id} on ${describeShow(show)}${decided_at ? `, decided ${toMinute(decided_at)}` : ""}`,
    `  Note:      ${review ? `${review.audience_interaction}: ` : ""}${describeNote(report)}`,
    `  Author:    ${describeUser(author)}`,
    `  Rule:      ${rule}, since ${toMinute(report.opened_at)}${hidden_at ? `; hidden since ${toMinute(hidden_at)}` : ""}`,
    `  Reporters: ${count(reporters.signed_in)} signed in, ${count(reporters.anonymous)} not`,
    ...report.reported_by.map(
      ({ id, account_days, reason, dismissed, upheld, undecided }) =>
        `             ${id}: ${reason}; account ${plural(account_days, "day")} old; other reports: ${dismissed} dismissed, ${upheld} upheld, ${undecided} undecided`,
    ),
    `  Reasons:   ${report.reasons.map(({ reason, signed_in, count: people }) => `${reason} ${count(people)}${signed_in ? "" : " not signed in"}`).join(", ")}`,
    ...report.texts.map(
      ({ reason, text, signed_in }) =>
        `             ${reason}${signed_in ? "" : ", not signed in"}: “${escapeControls(text)}”`,
    ),
    ...(objection ? [`  OBJECTION: ${escapeControls(objection)}`] : []),
    `  The author's ${report.other_notes.length === 0 ? "only note" : "newest other notes:"}`,
    ...report.other_notes.map(
      (note) => `             ${describeShow(note.show)}: ${escapeControls(note.notes)}`,
    ),
  ];
  return lines.join("\n");
}

function describeNote({ review, rewritten }: ReportRow): string {
  if (!review) return "(the review was deleted or removed since)";
  if (review.notes === null) return "(the note was removed since)";
  return `${escapeControls(review.notes)}${rewritten ? " (rewritten since the first report)" : ""}`;
}
