import { useCallback, useState } from "react";
import type { Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { type AnsweredTallies, newestTallies } from "./newest-tallies.ts";

const none: ReadonlyMap<string, AnsweredTallies> = new Map();

/**
 * The newest tallies that are known of a listed show, and what adds those that came with the answer to a review. `askedAt` is when
 * the list was asked for, by `performance.now()`; 0 for one that came with the page.
 */
export function useTallies(
  askedAt: number,
): [talliesOf: (show: ListedShow) => Tallies | undefined, add: (showId: string, tallies: Tallies) => void] {
  const [answered, setAnswered] = useState(none);
  const talliesOf = useCallback(
    ({ id, reviews }: ListedShow) => newestTallies({ tallies: reviews, askedAt }, answered.get(id)),
    [answered, askedAt],
  );
  const add = useCallback((showId: string, tallies: Tallies) => {
    setAnswered((last) => new Map(last).set(showId, { tallies, answeredAt: performance.now() }));
  }, []);
  return [talliesOf, add];
}
