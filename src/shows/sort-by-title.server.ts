import { takeTurns } from "./in-slices.server.ts";
import { mergeInSlices, sortInSlices } from "./sort-in-slices.server.ts";
import { titleBeginning } from "./title-order.ts";

/**
 * What `shows.toSorted(compare)` answers; others have their turn in between. Only shows whose titles begin alike are compared: they
 * are few enough to stay in the processor's cache meanwhile.
 * @param compare orders shows by title before all else
 */
export async function sortByTitle<Show>(
  shows: readonly Show[],
  titleOf: (show: Show) => string,
  compare: (a: Show, b: Show) => number,
): Promise<Show[]> {
  const alike = new Map<number, Show[]>();
  const others: Show[] = [];
  const turn = takeTurns();
  for (const show of shows) {
    const beginning = titleBeginning(titleOf(show));
    const group = beginning === undefined ? others : alike.get(beginning);
    if (group) group.push(show);
    else if (beginning !== undefined) alike.set(beginning, [show]);
    if (turn.isOver()) await turn.next();
  }
  const sorted: Show[] = [];
  for (const beginning of Float64Array.from(alike.keys()).sort()) {
    for (const show of await sortInSlices(alike.get(beginning) ?? [], compare)) sorted.push(show);
    if (turn.isOver()) await turn.next();
  }
  return mergeInSlices(sorted, await sortInSlices(others, compare), compare);
}
