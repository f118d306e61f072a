import type { Logger } from "pino";

/** The PostgreSQL version of the packages that package.json pins, and the day of its release. */
export const embeddedRelease = { version: "18.4", date: "2026-05-14" } as const;

/** PostgreSQL releases fixes every quarter: after this time at least one release is missing. */
const MAX_AGE_DAYS = 180;

const DAY_MS = 86_400_000;

/** Logs a warning if the embedded PostgreSQL was released more than 180 days ago. */
export function warnOfOldRelease(log: Logger, now = new Date()): void {
  const days = Math.floor((now.getTime() - Date.parse(embeddedRelease.date)) / DAY_MS);
  if (days <= MAX_AGE_DAYS) return;
  log.warn(
    { version: embeddedRelease.version, days },
    "The embedded PostgreSQL is old and may lack security fixes: in production use that of the distribution",
  );
}
