import { takeTurns } from "./in-slices.server.ts";
import { type Compare, mergeInSlices, sortInSlices } from "./sort-in-slices.server.ts";
import { titleBeginning } from "./title-order.ts";

/**
 * What `shows.toSorted(compare)` answers; others have their turn in between. Only shows whose titles begin alike are compared: they
 * are few enough to stay in the processor's cache meanwhile.
 * @param shows the numbers of shows
 * @param compare orders shows by title before all else
 */
export async function sortByTitle(
  shows: Uint32Array,
  titleOf: (show: number) => string,
  compare: Compare,
): Promise<Uint32Array> {
  const alike = new Map<number, number[]>();
  const others: number[] = [];
  const turn = takeTurns();
  for (const show of shows) {
    const beginning = titleBeginning(titleOf(show));
    const group = beginning === undefined ? others : alike.get(beginning);
    if (group) group.push(show);
    else if (beginning !== undefined) alike.set(beginning, [show]);
    if (turn.isOver()) await turn.next();
  }
  const sorted = new Uint32Array(shows.length - others.length);
  let count = 0;
  for (const beginning of Float64Array.from(alike.keys()).sort()) {
    const group = alike.get(beginning) ?? [];
    sorted.set(await sortInSlices(Uint32Array.from(group), compare), count);
    count += group.length;
    if (turn.isOver()) await turn.next();
  }
  return mergeInSlices(sorted, await sortInSlices(Uint32Array.from(others), compare), compare);
}
