import { toMinute } from "../console.ts";
import { count, plural } from "../progress-bar.ts";
import type { Status } from "./find-status.ts";
import { describeOutcome, type Waiting } from "./waiting.ts";

const LABEL_WIDTH = 23;

/** Lines of at most 80 columns, as a rule. */
export function describeStatus(status: Status, waiting: readonly Waiting[]): string {
  const { version, commit, last_refresh, oldest_report_at, closed, years } = status;
  const rows: [label: string, value: string][] = [
    ["Last refresh", last_refresh ? `${describeOutcome(last_refresh.outcome)}, ${at(last_refresh.finished_at)}` : "never"],
    ["Listed shows", count(status.listed_shows)],
    ["Reviews in 24 hours", count(status.reviews_last_24_hours)],
    ["Open reports", count(status.open_reports) + (oldest_report_at ? `, the oldest since ${at(oldest_report_at)}` : "")],
    ["Hidden notes", count(status.hidden_notes)],
    ["Closed for reviews", closed.all ? "all shows" : closed.shows > 0 ? plural(closed.shows, "show") : "nothing"],
    ["Quarantined accounts", count(status.quarantined_accounts)],
    ["Waiting messages", status.waiting_messages === null ? "no webhook is set" : count(status.waiting_messages)],
    ["Last backup", status.last_backup_at ? at(status.last_backup_at) : "never"],
    ["Size of the database", describeBytes(status.database_bytes)],
    ["Disk left", status.disk_free_bytes === null ? "not known (a PostgreSQL of your own)" : describeBytes(status.disk_free_bytes)],
    ...years.flatMap(describeYear),
  ]; // biome-ignore format: a table
  return [
    `Front Row ${version}, ${commit ? `commit ${commit}` : "built without git"}`,
    `Node ${status.node}, PostgreSQL ${status.postgresql}`,
    "",
    ...rows.map(([label, value]) => `${`${label}:`.padEnd(LABEL_WIDTH)}${value}`),
    "",
    ...(waiting.length === 0 ? ["Nothing waits for you."] : ["What waits for you:"]),
    ...waiting.map(({ text, command }) => `- ${text}:\n  ${command}`),
  ].join("\n");
}

const at = (time: string) => toMinute(new Date(time));

function describeYear({ year, reports, objections, decisions }: Status["years"][number]): [string, string][] {
  const made = Object.entries(decisions);
  const sum = made.reduce((total, [, number]) => total + number, 0);
  const of = made.map(([action, number]) => `${count(number)} ${action}`).join(", ");
  return [
    [`Moderation in ${year}`, [plural(reports, "report"), plural(objections, "objection"), plural(sum, "decision")].join(", ")],
    ...(of ? [[`Decisions in ${year}`, of] satisfies [string, string]] : []),
  ]; // biome-ignore format: a table
}

function describeBytes(bytes: number): string {
  return bytes < 1e9 ? `${count(Math.round(bytes / 1e6))} MB` : `${count(Math.round(bytes / 1e8) / 10)} GB`;
}
