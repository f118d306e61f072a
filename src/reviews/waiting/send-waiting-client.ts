import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import { ApiRequestError, apiRequests, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import { MAX_HOURS } from "../../browser/requests/limit-end.ts";
import { SEND_TIMEOUT } from "../../browser/requests/signed-in-request.ts";
import { orNull } from "../../browser/storage.ts";
import { RETRY_INTERVAL } from "../../browser/use-retry.ts";
import { userKey } from "../../browser/user-data-client.ts";
import type { SavedReview } from "../../domain/review-dto.ts";
import { failureKindOf, type NewReview, type SubmitReview } from "../state/review-api-client.ts";
import {
  discardWaiting,
  findWaitingReview,
  isUnchanged,
  readWaiting,
  storeWaiting,
  type WaitingReview,
} from "./waiting-reviews-client.ts";

export interface SendingResults {
  onSaved: (saved: SavedReview) => void;
  onSignedOut: (error: unknown) => void;
  /** Returns the text that tells the author why. */
  onRefused: (review: WaitingReview, error: unknown) => string;
  /** It was not sent, and is tried again. */
  onKept: (error: unknown) => void;
}

/**
 * Sends one review at a time, from one tab at a time (docs/product.md §14.7), also before a limit has ended if it
 * is forced. @throws a mistake in our code
 */
export async function sendWaiting(
  userId: string,
  submit: SubmitReview,
  results: SendingResults,
  isForced = false,
): Promise<void> {
  const sendAll = async () => {
    if (!isForced && limitLeft(userId) > 0) return;
    for (const key of readWaiting(userId)) {
      // The author may have changed or discarded it while the previous review was in flight.
      const review = findWaitingReview(key);
      if (!review || review.refusal !== undefined || replacing.has(review.showId)) continue;
      if (!(await sendOne(review, submit, results))) return;
    }
  };
  await alone(sendAll).catch((error) => {
    rethrowProgrammingError(error);
    results.onKept(error);
  });
}

/** In ms: how soon after the first failure a request that succeeded is a reason to try again. Doubles each time. */
const FIRST_WAIT = 1_000;

/** Calls `send` at the moments of docs/product.md §14.7. Returns a function that stops it. */
export function sendAgain(userId: string, send: () => Promise<void>): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  let timer: ReturnType<typeof setTimeout>;
  let failures = 0;
  let earliest = 0;

  function plan(wait: number): void {
    clearTimeout(timer);
    timer = setTimeout(sendIfVisible, wait);
  }
  function sendIfVisible(): void {
    if (!document.hidden) void sendNow();
  }
  async function sendNow(): Promise<void> {
    clearTimeout(timer);
    await send();
    if (signal.aborted) return;
    earliest = performance.now() + Math.min(FIRST_WAIT * 2 ** failures++, RETRY_INTERVAL);
    plan(limitLeft(userId) || RETRY_INTERVAL);
  }
  plan(RETRY_INTERVAL);
  window.addEventListener("online", sendNow, { signal });
  document.addEventListener("visibilitychange", sendIfVisible, { signal });
  apiRequests.addEventListener("success", () => plan(earliest - performance.now()), { signal });
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** Returns whether to continue with the next review. */
async function sendOne(
  review: WaitingReview,
  submit: SubmitReview,
  { onSaved, onSignedOut, onRefused, onKept }: SendingResults,
): Promise<boolean> {
  try {
    const saved = await submit(review);
    discardWaiting(review);
    onSaved(saved);
    return true;
  } catch (error) {
    rethrowProgrammingError(error);
    const kind = failureKindOf(error);
    // Signing out has removed it: its author knows.
    if (kind === "signed-out" && isUnchanged(review)) onSignedOut(error);
    if (kind === "limited" || kind === "unanswered") {
      keepLimit(review.userId, error);
      onKept(error);
    }
    if (kind === "refused" && isUnchanged(review))
      storeWaiting({ ...review, refusal: onRefused(review, error) });
    // A review that always fails must not block the others.
    const mayFailAlone = error instanceof ApiRequestError && error.status !== 503;
    return kind === "refused" || (kind === "unanswered" && mayFailAlone);
  }
}

/** In ms. An absurd header or a wrong clock must not hold reviews for longer. */
const MAX_LIMIT = MAX_HOURS * 3_600_000;

/** Stores when the user's limit ends, if the server says so. A portal's 503 ends with its network. */
function keepLimit(userId: string, error: unknown): void {
  const isLimit = error instanceof ApiRequestError && (error.status === 429 || error.code !== undefined);
  const wait = isLimit ? Math.min(error.retryAfter, MAX_LIMIT) : 0;
  const end = String(Date.now() + wait);
  if (wait > 0) orNull(() => window.localStorage.setItem(userKey("waiting-until", userId), end));
}

/** In ms; 0 without a limit. */
function limitLeft(userId: string): number {
  const key = userKey("waiting-until", userId);
  const wait = Number(orNull(() => window.localStorage.getItem(key))) - Date.now();
  if (wait > 0 && wait <= MAX_LIMIT) return wait;
  orNull(() => window.localStorage.removeItem(key));
  return 0;
}

/** Shows of which this tab sends a review that replaces a waiting one. */
const replacing = new Set<string>();

/** The waiting review must not be sent any more, and is discarded once the new one is saved. */
export async function submitInPlaceOf(
  earlier: WaitingReview,
  review: NewReview,
  submit: SubmitReview,
): Promise<SavedReview> {
  replacing.add(review.showId);
  try {
    const saved = await alone(() => submit(review));
    if (!saved) throw new Error("Another tab is sending");
    discardWaiting(earlier);
    return saved;
  } finally {
    replacing.delete(review.showId);
  }
}

/** Runs the task in one tab at a time, if the browser has locks. A hidden tab does not queue for its turn. */
async function alone<T>(task: () => Promise<T>): Promise<T | undefined> {
  // Safari before 15.4, and pages without HTTPS, have no locks: a review that is sent twice is stored once.
  if (!navigator.locks) return task();
  const options = document.hidden
    ? { ifAvailable: true }
    : { signal: withTimeLimit(undefined, SEND_TIMEOUT) };
  return navigator.locks.request("waiting reviews", options, (lock) => (lock ? task() : undefined));
}
