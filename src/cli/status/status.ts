import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { countOf, formatCount, print, toMinute } from "../console.ts";
import { findStatus, type Status, type StatusConfig } from "./find-status.ts";
import { findWaitingTasks, type WaitingItem } from "./waiting-tasks.ts";

/** @throws OperatorError if something waits for the operator */
export async function printStatus(db: Db, config: StatusConfig, { json }: { json?: boolean }): Promise<void> {
  const status = await findStatus(db, config);
  const waiting = findWaitingTasks(status);
  print(json ? JSON.stringify({ ...status, waiting }, null, 2) : describeStatus(status, waiting));
  if (waiting.length > 0)
    throw new OperatorError(`${countOf(waiting.length, "thing waits", "things wait")} for you.`);
}

const LABEL_WIDTH = 23;

/** In lines of at most 80 columns, as a rule. */
function describeStatus(status: Status, waiting: readonly WaitingItem[]): string {
  const { version, commit, newer_version, last_refresh, oldest_report_at, closed, years } = status;
  const otherYear = status.last_success_at ? "" : " for another year";
  const rows: [label: string, value: string][] = [
    ["Last refresh", last_refresh ? `${last_refresh.outcome}${last_refresh.outcome === "succeeded" ? otherYear : ""}, ${at(last_refresh.finished_at)}` : "never"],
    ["Listed shows", formatCount(status.listed_shows)],
    ["Reviews in 24 hours", formatCount(status.reviews_last_24_hours)],
    ["Open reports", formatCount(status.open_reports) + (oldest_report_at ? `, the oldest since ${at(oldest_report_at)}` : "")],
    ["Hidden notes", formatCount(status.hidden_notes)],
    ["Closed for reviews", closed.all ? "all shows" : closed.shows > 0 ? countOf(closed.shows, "show") : "nothing"],
    ["Quarantined accounts", formatCount(status.quarantined_accounts)],
    ["Waiting messages", status.waiting_messages === null ? "no webhook is set" : formatCount(status.waiting_messages)],
    ["Stray rejections", `${formatCount(status.stray_rejections_last_24_hours)} in 24 hours`],
    ["Last backup", status.last_backup_at ? at(status.last_backup_at) : "never"],
    ["Size of the database", describeBytes(status.database_bytes)],
    ["Disk left", status.disk_free_bytes === null ? "not known (a PostgreSQL of your own)" : describeBytes(status.disk_free_bytes)],
    ...years.flatMap(describeYear),
  ]; // biome-ignore format: a table
  return [
    `Front Row ${version}, ${commit ? `commit ${commit}` : "built without git"}`,
    `Node ${status.node}, PostgreSQL ${status.postgresql}`,
    ...(newer_version ? [newer_version] : []),
    "",
    ...rows.map(([label, value]) => `${`${label}:`.padEnd(LABEL_WIDTH)}${value}`),
    "",
    waiting.length === 0 ? "Nothing waits for you." : "What waits for you:",
    ...waiting.map(({ text, command }) => `- ${text}:\n  ${command}`),
  ].join("\n");
}

const at = (time: string) => toMinute(new Date(time));

function describeYear({ year, reports, objections, decisions }: Status["years"][number]): [string, string][] {
  const sum = Object.values(decisions).reduce((total, number) => total + number, 0);
  const kinds = Object.entries(decisions)
    .map(([action, number]) => `${formatCount(number)} ${action}`)
    .join(", ");
  return [
    [`Moderation in ${year}`, `${countOf(reports, "report")}, ${countOf(objections, "objection")}, ${countOf(sum, "decision")}`],
    [`Decisions in ${year}`, kinds || "none"],
  ]; // biome-ignore format: a table
}

function describeBytes(bytes: number): string {
  return bytes < 1e9
    ? `${formatCount(Math.round(bytes / 1e6))} MB`
    : `${formatCount(Math.round(bytes / 1e8) / 10)} GB`;
}
