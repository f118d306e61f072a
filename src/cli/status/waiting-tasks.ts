import { YEAR } from "../../domain/programme.ts";
import { countOf, toMinute } from "../console.ts";
import type { Status } from "./find-status.ts";

/** The interval of refreshes and the time of their retries (docs/product.md §7.2). */
const REFRESH_HOURS = 14;
const BACKUP_HOURS = 36;
/** In bytes. */
const MIN_DISK = 1_000_000_000;

/** @param command solves it */
type Row = [waits: boolean, name: string, text: string, command: string];

export type WaitingItem = ReturnType<typeof findWaitingTasks>[number];

export function findWaitingTasks(status: Status) {
  const { open_reports, oldest_report_at: oldest, last_backup_at, disk_free_bytes: disk } = status;
  const outcome = status.last_refresh?.outcome;
  const isEmpty = status.listed_shows === 0;
  const isRefreshOld = isOlder(status.last_success_at, REFRESH_HOURS);
  const refresh = !outcome
    ? "The shows were never refreshed"
    : isEmpty
      ? `The list is empty: no show of ${YEAR} is in it`
      : outcome === "succeeded"
        ? `The last refresh is more than ${REFRESH_HOURS} hours old`
        : `The last refresh did not succeed (${outcome})`;
  const backup = last_backup_at
    ? `The last backup is more than ${BACKUP_HOURS} hours old`
    : "There are reviews, and no backup was made";
  const rows: Row[] = [
    [open_reports > 0, "open_reports", `${countOf(open_reports, "report waits", "reports wait")} for a decision${oldest ? `, the oldest since ${toMinute(new Date(oldest))}` : ""}`, "npm run admin -- queue-link <your name>"],
    [outcome === "refused" && !isEmpty, "refresh", "The last refresh was refused: look at the festival's site first", "npm run refresh -- --allow-shrink"],
    [isEmpty || (outcome !== "refused" && (outcome !== "succeeded" || isRefreshOld)), "refresh", refresh, "npm run refresh"],
    [status.has_reviews && isOlder(last_backup_at, BACKUP_HOURS), "backup", backup, "npm run admin -- backup <file>"],
    [status.messages_fail, "messages", "Messages could not be sent: look why, and correct MODERATION_WEBHOOK_URL", "sudo journalctl -u front-row -o cat | grep webhook"],
    [disk !== null && disk < MIN_DISK, "disk", "Little disk is left: old versions and backups can go", "df -h"],
  ]; // biome-ignore format: a table
  return rows.filter(([waits]) => waits).map(([, name, text, command]) => ({ name, text, command }));
}

function isOlder(time: string | null, hours: number): boolean {
  return time === null || Date.now() - Date.parse(time) > hours * 3_600_000;
}
