import type { Tallies } from "../../domain/review.ts";

/**
 * After this time, in ms, every instance surely has a review: twice what it may take (docs/product.md §2.19).
 */
export const PROPAGATION_DELAY = 2_000;

/** A show's tallies in a list, and when the list was requested. Undefined tallies are unknown. */
export interface ListedTallies {
  tallies: Tallies | undefined;
  requestedAt: number;
}

/** A show's tallies in the response to a review or to its deletion, and when it was received. */
export interface ReceivedTallies {
  tallies: Tallies;
  receivedAt: number;
  /** Whether a review was deleted: the newest of the rest may be older than that of an outdated list. */
  isRemoval?: boolean;
}

/**
 * Chooses the newer tallies of a show: those of the list, or those of the response to the user's review. A
 * list that was requested before the response, or hardly later, may come from an instance that does not have
 * the review yet. A later list has it, and also knows what was removed since. Times are in ms of the same
 * clock.
 */
export function newestTallies(
  listed: ListedTallies,
  received: ReceivedTallies | undefined,
): Tallies | undefined {
  if (!listed.tallies || !received) return listed.tallies ?? received?.tallies;
  const isUpToDate = listed.requestedAt > received.receivedAt + PROPAGATION_DELAY;
  const isNewer = !received.isRemoval && timeOf(listed.tallies) > timeOf(received.tallies);
  return isUpToDate || isNewer ? listed.tallies : received.tallies;
}

function timeOf({ latest_at }: Tallies): number {
  return latest_at === null ? 0 : Date.parse(latest_at);
}
