import { takeTurns } from "./in-slices.server.ts";
import { mergeInSlices, sortInSlices } from "./sort-in-slices.server.ts";
import { byTitle, titleBeginning } from "./title-order.ts";

/**
 * What `shows.toSorted(byTitle)` answers; others have their turn in between. Only shows whose titles begin alike are compared: they
 * are few enough to stay in the processor's cache meanwhile.
 */
export async function sortByTitle<Show extends { id: string; title: string }>(shows: readonly Show[]): Promise<Show[]> {
  const alike = new Map<number, Show[]>();
  const others: Show[] = [];
  const turn = takeTurns();
  for (const show of shows) {
    const beginning = titleBeginning(show.title);
    const group = beginning === undefined ? others : alike.get(beginning);
    if (group) group.push(show);
    else if (beginning !== undefined) alike.set(beginning, [show]);
    if (turn.isOver()) await turn.next();
  }
  const sorted: Show[] = [];
  for (const beginning of Float64Array.from(alike.keys()).sort()) {
    for (const show of await sortInSlices(alike.get(beginning) ?? [], byTitle)) sorted.push(show);
    if (turn.isOver()) await turn.next();
  }
  return mergeInSlices(sorted, await sortInSlices(others, byTitle), byTitle);
}
