import { setImmediate as nextTurn } from "node:timers/promises";
import { eachOf, inSlices } from "./in-slices.server.ts";
import { growShows, type ListedShows, renewTexts } from "./listed-shows.server.ts";
import { createShowList, type ShowList } from "./show-list.server.ts";
import { byNewestReview, createShowOrder } from "./show-order.server.ts";
import {
  type Batches,
  FOUND_BY_END,
  type ReadTallies,
  type ShowDigest,
  type ShowSource,
} from "./show-source.server.ts";
import { createShowTallies, type ShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";
import { numbersFrom, sortInSlices } from "./sort-in-slices.server.ts";

/**
 * Makes a list of the shows that a source has; others have their turn in between.
 * @param texts keeps what visitors see of the shows
 * @param previous shows whose texts are kept already: of one that has not changed since, nothing is read but its tallies
 */
export async function buildShowList(source: ShowSource, texts: ShowTexts, previous: ListedShows): Promise<ShowList> {
  const shows = await readShows(source, texts, previous);
  // Room for all shows is taken in one turn, and the order in another: it takes the system tens of ms to give that much.
  await nextTurn();
  const tallies = createShowTallies(shows.ids.size);
  if (!source.tallies) return createShowList({ shows, texts, tallies, order: shows.byTitle });
  await readTallies(source.tallies(), shows, tallies);
  const keys = { ...tallies, ranks: shows.ranks };
  const sorted = await sortInSlices(numbersFrom(0, shows.ids.size), byNewestReview(keys));
  return createShowList({ shows, texts, tallies, order: createShowOrder(sorted, keys) });
}

/** The shows of a source. With an earlier list they share what is the same, and are that list's own where all of it is. */
async function readShows(source: ShowSource, texts: ShowTexts, previous: ListedShows): Promise<ListedShows> {
  if (previous.ids.size === 0) {
    const shows = growShows(texts);
    const named = nameAll();
    await eachOf(source.shows(), (show) => {
      named.add(show);
      shows.add(show);
    });
    return shows.finish(named.foundBy());
  }
  const { isSame, changed, foundBy } = await compare(source.digests(), previous);
  if (foundBy === previous.foundBy)
    return changed.length === 0 ? previous : renewTexts(previous, source.shows(changed), texts);
  const shows = growShows(texts);
  const inOrder = previous.byTitle.all();
  await inSlices(inOrder.length, (rank) => {
    const number = inOrder[rank] ?? 0;
    if (isSame[number] === 1) shows.takeOver(previous, number);
  });
  await eachOf(source.shows(changed), shows.add);
  return shows.finish(foundBy);
}

/** What has become of earlier shows. */
interface Comparison {
  /** A 1 under the number of each show that is the same as before. */
  isSame: Uint8Array;
  /** The ids of all others that there are. */
  changed: string[];
  /** What names all ids, titles, artists and venues that there are now. */
  foundBy: number;
}

async function compare(read: Batches<ShowDigest>, { ids, digests }: ListedShows): Promise<Comparison> {
  const isSame = new Uint8Array(ids.size);
  const changed: string[] = [];
  const named = nameAll();
  await eachOf(read, (show) => {
    const number = ids.numberOf(show.id) ?? ids.size;
    if (digests[number] === show.digest) isSame[number] = 1;
    else changed.push(show.id);
    named.add(show);
  });
  return { isSame, changed, foundBy: named.foundBy() };
}

/** One name for all ids, titles, artists and venues, in whatever order they come: a sum, which needs no room for each. */
function nameAll() {
  let sum = 0;
  return {
    add({ foundBy }: ShowDigest): void {
      sum = (sum + foundBy) % FOUND_BY_END;
    },
    foundBy: () => sum,
  };
}

async function readTallies(read: Batches<ReadTallies>, shows: ListedShows, tallies: ShowTallies): Promise<void> {
  await eachOf(read, (one) => {
    const number = shows.ids.numberOf(one.show_id);
    if (number !== undefined) tallies.set(number, one);
  });
}
