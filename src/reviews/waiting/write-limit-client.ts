import { ApiRequestError } from "../../browser/requests/api-request-client.ts";
import { MAX_HOURS } from "../../browser/requests/limit-end.ts";
import { attempt } from "../../browser/storage.ts";
import { userKey } from "../../browser/user-data-client.ts";

/** In ms. An absurd header or a wrong clock must not hold reviews for longer. */
const MAX_LIMIT = MAX_HOURS * 3_600_000;

/** Stores when the user's limit ends, if the server says so. */
export function keepLimit(userId: string, error: unknown): void {
  const wait = error instanceof ApiRequestError ? error.retryAfter : 0;
  if (wait > 0) store(userId, wait);
}

export function isLimited(userId: string): boolean {
  const key = userKey("waiting-until", userId);
  const wait = Number(attempt(() => window.localStorage.getItem(key))) - Date.now();
  // The clock has been set back.
  if (wait > MAX_LIMIT) store(userId, wait);
  if (wait > 0) return true;
  attempt(() => window.localStorage.removeItem(key));
  return false;
}

function store(userId: string, wait: number): void {
  const end = Date.now() + Math.min(wait, MAX_LIMIT);
  attempt(() => window.localStorage.setItem(userKey("waiting-until", userId), String(end)));
}
