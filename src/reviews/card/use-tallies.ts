import { useCallback, useState } from "react";
import type { Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";

const none: ReadonlyMap<string, Tallies> = new Map();

/**
 * Returns the newest known tallies of a listed show, and a function that adds those of the response to a
 * review or to its deletion. A list may come from a shared cache that does not have the review yet.
 */
export function useTallies(): [
  talliesOf: (show: ListedShow) => Tallies | undefined,
  add: (showId: string, tallies: Tallies) => void,
] {
  const [received, setReceived] = useState(none);
  const talliesOf = useCallback(
    ({ id, reviews }: ListedShow) => newestTallies(reviews, received.get(id)),
    [received],
  );
  const add = useCallback((showId: string, tallies: Tallies) => {
    setReceived((last) => new Map(last).set(showId, tallies));
  }, []);
  return [talliesOf, add];
}

/** The newer tallies of a show: those of the list, or those of the response to the user's review. */
export function newestTallies(
  listed: Tallies | undefined,
  received: Tallies | undefined,
): Tallies | undefined {
  if (!listed || !received) return listed ?? received;
  return received.revision > listed.revision ? received : listed;
}
