import { plural } from "../../lib/format.ts";
import { ApiRequestError } from "./api-request-client.ts";

/** `end` as `formatWait` has it. Null for an error that is no limit, or has no known end. */
export function limitOf(error: unknown): { end: string; isOfNetwork: boolean } | null {
  if (!(error instanceof ApiRequestError) || !error.code?.endsWith("rate_limited")) return null;
  const end = formatWait(error.retryAfter / 1_000);
  return end === null ? null : { end, isOfNetwork: error.code !== "rate_limited" };
}

/** In hours: a day, and the tolerated clock skew. */
export const MAX_HOURS = 25;

/** `in 3 minutes`, `tomorrow`: rounded up. Null if unknown, over, or too long. @param wait in seconds */
export function formatWait(wait: number): string | null {
  if (!(wait > 0)) return null;
  const [minutes, hours] = [Math.ceil(wait / 60), Math.ceil(wait / 3600)];
  if (minutes < 60) return `in ${plural(minutes, "minute")}`;
  if (hours < 24) return `in ${plural(hours, "hour")}`;
  return hours <= MAX_HOURS ? "tomorrow" : null;
}
