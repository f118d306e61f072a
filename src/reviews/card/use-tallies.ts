import { useCallback, useState } from "react";
import type { Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { rememberOwnReview } from "../../ui/own-review-time-client.ts";
import { newestTallies, type ReceivedTallies } from "./newest-tallies.ts";

const none: ReadonlyMap<string, ReceivedTallies> = new Map();

/**
 * Returns the newest known tallies of a listed show, and a function that adds those of the response to a
 * review or to its deletion. `requestedAt` is when the list was requested, by `performance.now()`; 0 for a
 * list that came with the page.
 */
export function useTallies(
  requestedAt: number,
): [
  talliesOf: (show: ListedShow) => Tallies | undefined,
  add: (showId: string, tallies: Tallies, isRemoval?: boolean) => void,
] {
  const [received, setReceived] = useState(none);
  const talliesOf = useCallback(
    ({ id, reviews }: ListedShow) => newestTallies({ tallies: reviews, requestedAt }, received.get(id)),
    [received, requestedAt],
  );
  const add = useCallback((showId: string, tallies: Tallies, isRemoval = false) => {
    rememberOwnReview();
    setReceived((last) => new Map(last).set(showId, { tallies, isRemoval, receivedAt: performance.now() }));
  }, []);
  return [talliesOf, add];
}
