import type { Logger } from "pino";

/** Of the packages that package.json pins. */
export const embeddedRelease = { version: "18.4", date: "2026-05-14" } as const;

/** Releases come every quarter: then at least one is missing. */
const MAX_AGE_DAYS = 180;

const DAY_MS = 86_400_000;

export function warnOfOldRelease(log: Logger, now = new Date()): void {
  const days = Math.floor((now.getTime() - Date.parse(embeddedRelease.date)) / DAY_MS);
  if (days <= MAX_AGE_DAYS) return;
  log.warn(
    { version: embeddedRelease.version, days },
    "The embedded PostgreSQL is old and may lack security fixes: in production use that of the distribution",
  );
}
