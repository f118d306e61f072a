import type { Logger } from "pino";

/** Of the packages that package.json pins. */
export const embeddedRelease = { version: "18.4", date: "2026-05-14" } as const;

/** Releases come every quarter: then at least one is missing. */
const MAX_AGE_DAYS = 180;

export function warnOfOldRelease(log: Logger, now = new Date()): void {
  const days = Math.floor((now.getTime() - Date.parse(embeddedRelease.date)) / 86_400_000);
  if (days <= MAX_AGE_DAYS) return;
  log.warn(
    { version: embeddedRelease.version, days },
    "The embedded PostgreSQL is old and may lack security fixes: in production use that of the distribution",
  );
}
