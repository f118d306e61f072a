import { useMemo, useSyncExternalStore } from "react";
import * as z from "zod/mini";
import { canStore } from "../../browser/can-store.ts";
import { SignedOutError, type UserSession } from "../../browser/requests/signed-in-request.ts";
import { orNull } from "../../browser/storage.ts";
import { tellThisTab, userKey } from "../../browser/user-data-client.ts";
import { interactions } from "../../domain/review.ts";
import { checkNotes, type NewReview } from "../state/review-api-client.ts";
import { damagedReview } from "../state/review-texts.ts";
import { subscribeToWaiting, waitingKeys } from "../state/waiting-count.ts";

const storedReview = z.object({
  title: z.string(),
  artist: z.nullable(z.string()),
  venue_name: z.nullish(z.string()),
  interaction: z.enum(interactions),
  notes: z.string(),
  /** When the author chose to let it wait, in ms since 1970. */
  at: z.number(),
  /** Why the server has refused it. A refused review is not sent again by itself. */
  refusal: z.optional(z.string()),
});

/** The storage key has the user and the show. */
export type WaitingReview = NewReview & z.infer<typeof storedReview>;

type Key = Pick<NewReview, "userId" | "showId">;

/** The most reviews of a user that wait in one browser. */
const MAX_WAITING = 50;

/** Oldest first, with damaged ones: the header counts those, too. */
export function readWaiting(userId: string): WaitingReview[] {
  return waitingKeys(userId)
    .flatMap(
      (key) => findWaitingReview({ userId, showId: key.slice(userKey("waiting", userId).length) }) ?? [],
    )
    .sort((a, b) => a.at - b.at);
}

export function findWaitingReview({ userId, showId }: Key): WaitingReview | undefined {
  const text = orNull(() => window.localStorage.getItem(keyOf({ userId, showId })));
  if (text === null) return undefined;
  // Shows the author what is left of a damaged review.
  const damaged = { artist: null, interaction: "no", notes: text, at: 0, refusal: damagedReview } as const;
  const stored = orNull(() => storedReview.parse(JSON.parse(text))) ?? { ...damaged, title: showId };
  return { ...stored, userId, showId };
}

export function useWaiting(userId: string | null): WaitingReview[] {
  const snapshot = () => JSON.stringify(userId === null ? [] : readWaiting(userId));
  const text = useSyncExternalStore(subscribeToWaiting, snapshot);
  return useMemo(() => JSON.parse(text), [text]);
}

/** Whether there is room for the review: storage may be full or blocked. */
export function canWait(key: Key): boolean {
  const keys = waitingKeys(key.userId);
  return (keys.length < MAX_WAITING || keys.includes(keyOf(key))) && canStore(() => window.localStorage);
}

/**
 * Replaces one of the same show. Resolves with true, as failures resolve with undefined.
 * @throws if the notes are too long, there is no room, or its user has left
 */
export async function letWait(review: WaitingReview, session: UserSession): Promise<true> {
  checkNotes(review.notes);
  if (session.current().user?.id !== review.userId) throw new SignedOutError(session);
  if (!canWait(review) || !storeWaiting(review)) throw new Error("This browser has no room for the review");
  return true;
}

/** Does nothing if the author has changed it meanwhile. */
export function discardWaiting(review: WaitingReview): void {
  if (isUnchanged(review)) orNull(() => window.localStorage.removeItem(keyOf(review)));
  tellThisTab();
}

/** False if the author has changed or discarded it, perhaps in another tab. */
export function isUnchanged(review: WaitingReview): boolean {
  return findWaitingReview(review)?.at === review.at;
}

/** Returns whether it is stored. */
export function storeWaiting({ userId, showId, ...stored }: WaitingReview): boolean {
  const key = keyOf({ userId, showId });
  const isStored = orNull(() => window.localStorage.setItem(key, JSON.stringify(stored))) !== null;
  tellThisTab();
  return isStored;
}

function keyOf({ userId, showId }: Key): string {
  return userKey("waiting", userId) + showId;
}
