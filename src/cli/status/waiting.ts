import { toMinute } from "../console.ts";
import { plural } from "../progress-bar.ts";
import type { Status } from "./find-status.ts";

/** The interval of refreshes, and the time of their tries (docs/product.md §7.2). */
const REFRESH_HOURS = 14;
const BACKUP_HOURS = 36;
/** In bytes. */
const MIN_DISK = 1_000_000_000;

export interface Waiting {
  name: "open_reports" | "refresh" | "backup" | "messages" | "disk";
  text: string;
  /** What deals with it. */
  command: string;
}

export function findWaiting(status: Status): Waiting[] {
  const { open_reports, oldest_report_at, last_backup_at, disk_free_bytes } = status;
  const refreshProblem = findRefreshProblem(status);
  const waiting: (Waiting | false)[] = [
    open_reports > 0 && {
      name: "open_reports",
      text: `${plural(open_reports, "report waits", "reports wait")} for a decision${oldest_report_at ? `, the oldest since ${toMinute(new Date(oldest_report_at))}` : ""}`,
      command: "npm run admin -- decide",
    },
    refreshProblem !== null && {
      name: "refresh",
      text: refreshProblem,
      command:
        status.last_refresh?.outcome === "refused" ? "npm run refresh -- --allow-shrink" : "npm run refresh",
    },
    status.has_reviews &&
      isOlder(last_backup_at, BACKUP_HOURS) && {
        name: "backup",
        text: last_backup_at
          ? `The last backup is more than ${BACKUP_HOURS} hours old`
          : "There are reviews, and no backup was made",
        command: "npm run admin -- backup <file>",
      },
    status.messages_fail && {
      name: "messages",
      text: "Messages could not be sent: look why, and correct MODERATION_WEBHOOK_URL",
      command: "sudo journalctl -u front-row -o cat | grep webhook",
    },
    disk_free_bytes !== null &&
      disk_free_bytes < MIN_DISK && {
        name: "disk",
        text: "Little disk is left: old versions and backups can go",
        command: "df -h",
      },
  ];
  return waiting.filter((each) => each !== false);
}

function findRefreshProblem({ last_refresh, last_success_at }: Status): string | null {
  if (last_refresh === null) return "The shows were never refreshed";
  if (last_refresh.outcome === "refused")
    return "The last refresh was refused: look at the festival's site first";
  if (last_refresh.outcome !== "succeeded")
    return `The last refresh ${describeOutcome(last_refresh.outcome)}`;
  return isOlder(last_success_at, REFRESH_HOURS)
    ? `The last refresh is more than ${REFRESH_HOURS} hours old`
    : null;
}

export function describeOutcome(outcome: string): string {
  return outcome === "interrupted" || outcome === "refused" ? `was ${outcome}` : outcome;
}

function isOlder(time: string | null, hours: number): boolean {
  return time === null || Date.now() - Date.parse(time) > hours * 3_600_000;
}
