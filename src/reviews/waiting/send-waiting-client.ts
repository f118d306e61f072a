import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import { ApiRequestError, withTimeLimit } from "../../browser/requests/api-request-client.ts";
import { MAX_HOURS } from "../../browser/requests/limit-end.ts";
import { SEND_TIMEOUT, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { attempt } from "../../browser/storage.ts";
import { userKey } from "../../browser/user-data-client.ts";
import type { SavedReview } from "../../domain/review-dto.ts";
import type { NewReview, SubmitReview } from "../dialog/review-api-client.ts";
import { tooLongMessage } from "../dialog/review-texts.ts";
import {
  discardWaiting,
  findWaiting,
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
}

/** Sends one review at a time, from one tab at a time (docs/product.md §14.7). @throws a mistake in our code */
export async function sendWaiting(userId: string, submit: SubmitReview, results: SendingResults) {
  await alone({ ifAvailable: true }, async () => {
    if (isLimited(userId)) return;
    for (const key of readWaiting(userId)) {
      // The author may have changed or discarded it while the previous review was in flight.
      const review = findWaiting(key);
      if (review && review.refusal === undefined && !(await sendOne(review, submit, results))) return;
    }
  });
}

/** Returns whether to continue with the next review. */
async function sendOne(
  review: WaitingReview,
  submit: SubmitReview,
  { onSaved, onSignedOut, onRefused }: SendingResults,
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
    if (kind === "limited") keepLimit(review.userId, error);
    if (kind === "refused" && isUnchanged(review))
      storeWaiting({ ...review, refusal: onRefused(review, error) });
    // A review that always fails must not block the others.
    const mayFailAlone = error instanceof ApiRequestError && error.status !== 503;
    return kind === "refused" || (kind === "unanswered" && mayFailAlone);
  }
}

/** What happens to a review that was not sent (docs/product.md §14.7). A captive portal counts as no answer. */
export function failureKindOf(error: unknown): "unanswered" | "signed-out" | "limited" | "refused" {
  if (error instanceof SignedOutError) return "signed-out";
  if (String(error).includes(tooLongMessage)) return "refused";
  if (!(error instanceof ApiRequestError)) return "unanswered";
  if (error.status === 429) return "limited";
  if (error.code === undefined || error.status >= 500) return "unanswered";
  return error.status === 401 ? "signed-out" : "refused";
}

/** In ms. An absurd header or a wrong clock must not hold reviews for longer. */
const MAX_LIMIT = MAX_HOURS * 3_600_000;

/** Stores when the user's limit ends, if the server says so. */
function keepLimit(userId: string, error: unknown): void {
  const wait = error instanceof ApiRequestError ? Math.min(error.retryAfter, MAX_LIMIT) : 0;
  const end = String(Date.now() + wait);
  if (wait > 0) attempt(() => window.localStorage.setItem(userKey("waiting-until", userId), end));
}

function isLimited(userId: string): boolean {
  const key = userKey("waiting-until", userId);
  const wait = Number(attempt(() => window.localStorage.getItem(key))) - Date.now();
  if (wait > 0 && wait <= MAX_LIMIT) return true;
  attempt(() => window.localStorage.removeItem(key));
  return false;
}

/** Sends a review that replaces a waiting one. The older one must not be sent after it, and is discarded. */
export async function submitBeforeWaiting(review: NewReview, submit: SubmitReview): Promise<SavedReview> {
  const earlier = findWaiting(review);
  if (!earlier) return submit(review);
  const signal = withTimeLimit(undefined, SEND_TIMEOUT);
  const saved = await alone({ signal }, () => submit(review));
  if (!saved) throw new Error("Another tab is sending");
  discardWaiting(earlier);
  return saved;
}

/** Runs the task in one tab at a time, if the browser has locks. */
async function alone<T>(options: LockOptions, task: () => Promise<T>): Promise<T | undefined> {
  // Safari before 15.4, and pages without HTTPS, have no locks: a review that is sent twice is stored once.
  if (!navigator.locks) return task();
  return navigator.locks.request("waiting reviews", options, (lock) => (lock ? task() : undefined));
}
