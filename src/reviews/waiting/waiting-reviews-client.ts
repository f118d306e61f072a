import { useMemo, useSyncExternalStore } from "react";
import * as z from "zod/mini";
import { attempt } from "../../browser/attempt.ts";
import { interactions } from "../../domain/review.ts";
import { subscribeToWaiting, waitingKeyOf, waitingKeys } from "./waiting-count.ts";

const waitingReview = z.object({
  showId: z.string(),
  userId: z.string(),
  title: z.string(),
  artist: z.nullable(z.string()),
  interaction: z.enum(interactions),
  notes: z.string(),
  /** When its author chose to let it wait. Times are in ms since 1970. */
  at: z.number(),
  /** Until when a limit lets nothing through. */
  notBefore: z.optional(z.number()),
  /** Why the server has refused it. It is not sent again by itself. */
  refusal: z.optional(z.string()),
});

export type WaitingReview = z.infer<typeof waitingReview>;

/** Of a user in one browser. */
const MAX_WAITING = 50;

/** The oldest first. */
export function readWaiting(userId: string): WaitingReview[] {
  return waitingKeys(userId)
    .flatMap((key) => parse(attempt(() => window.localStorage.getItem(key))) ?? [])
    .sort((a, b) => a.at - b.at);
}

export function findWaiting(userId: string, showId: string): WaitingReview | undefined {
  return readWaiting(userId).find((review) => review.showId === showId);
}

export function useWaiting(userId: string | null): WaitingReview[] {
  const snapshot = () => JSON.stringify(userId === null ? [] : readWaiting(userId));
  const text = useSyncExternalStore(subscribeToWaiting, snapshot);
  return useMemo(() => z.array(waitingReview).parse(JSON.parse(text)), [text]);
}

/** Whether there is room for it: storage may be full or blocked. */
export function canWait(review: WaitingReview): boolean {
  const before = attempt(() => window.localStorage.getItem(keyOf(review)));
  const fits = write(review);
  if (before !== null) attempt(() => window.localStorage.setItem(keyOf(review), before));
  else if (fits) attempt(() => window.localStorage.removeItem(keyOf(review)));
  return fits;
}

/** In place of an earlier one of the same show. Returns whether it is kept. */
export function keepWaiting(review: WaitingReview): boolean {
  const isKept = write(review);
  tellThisTab();
  return isKept;
}

/** Unless its author has changed it meanwhile, perhaps in another tab. */
export function changeWaiting(review: WaitingReview, change: Partial<WaitingReview>): void {
  if (isSame(review)) keepWaiting({ ...review, ...change });
}

/** Unless its author has changed it meanwhile. */
export function discardWaiting(review: WaitingReview): void {
  if (isSame(review)) discard([keyOf(review)]);
}

export function discardWaitingOf(userId: string): void {
  discard(waitingKeys(userId));
}

function write(review: WaitingReview): boolean {
  const key = keyOf(review);
  const keys = waitingKeys(review.userId);
  if (!keys.includes(key) && keys.length >= MAX_WAITING) return false;
  return attempt(() => window.localStorage.setItem(key, JSON.stringify(review))) !== null;
}

function discard(keys: string[]): void {
  for (const key of keys) attempt(() => window.localStorage.removeItem(key));
  tellThisTab();
}

function isSame(review: WaitingReview): boolean {
  return parse(attempt(() => window.localStorage.getItem(keyOf(review))))?.at === review.at;
}

function keyOf({ userId, showId }: Pick<WaitingReview, "userId" | "showId">): string {
  return waitingKeyOf(userId) + showId;
}

function parse(text: string | null): WaitingReview | null {
  return attempt(() => waitingReview.parse(JSON.parse(text ?? "")));
}

/** Browsers tell the other tabs. */
function tellThisTab(): void {
  window.dispatchEvent(new Event("storage"));
}
