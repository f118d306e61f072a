import { inSlices, takeTurns } from "./in-slices.server.ts";
import { growShows, type ListedShows } from "./listed-shows.server.ts";
import { createShowList, type ShowList } from "./show-list.server.ts";
import { byNewestReview, createShowOrder } from "./show-order.server.ts";
import type { Batches, ReadTallies, ShowDigest, ShowSource } from "./show-source.server.ts";
import { createShowTallies, type ShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";
import { sortInSlices } from "./sort-in-slices.server.ts";

/**
 * Makes a list of the shows that a source has; others have their turn in between.
 * @param texts keeps what visitors see of the shows
 * @param previous shows whose texts are kept already: of one that has not changed since, nothing is read but its tallies
 */
export async function buildShowList(source: ShowSource, texts: ShowTexts, previous: ListedShows): Promise<ShowList> {
  const shows = await readShows(source, texts, previous);
  const tallies = createShowTallies(shows.ids.size);
  if (!source.tallies) return createShowList({ shows, texts, tallies, order: shows.byTitle });
  await readTallies(source.tallies(), shows, tallies);
  const keys = { ...tallies, ranks: shows.ranks };
  const sorted = await sortInSlices(
    shows.titles.map((_, number) => number),
    byNewestReview(keys),
  );
  return createShowList({ shows, texts, tallies, order: createShowOrder(Uint32Array.from(sorted), keys) });
}

/** The shows of a source: `previous` itself, where they are the same. */
async function readShows(source: ShowSource, texts: ShowTexts, previous: ListedShows): Promise<ListedShows> {
  const shows = growShows(texts);
  if (previous.ids.size === 0) {
    await eachOf(source.shows(), shows.add);
    return shows.finish();
  }
  const { isSame, changed } = await compare(source.digests(), previous);
  if (changed.length === 0 && !isSame.includes(0)) return previous;
  const inOrder = previous.byTitle.all();
  await inSlices(inOrder.length, (rank) => {
    const number = inOrder[rank] ?? 0;
    if (isSame[number] === 1) shows.takeOver(previous, number);
  });
  await eachOf(source.shows(changed), shows.add);
  return shows.finish();
}

/** Which shows are the same as before, as a 1 under their number, and the ids of all others that there are. */
async function compare(digests: Batches<ShowDigest>, previous: ListedShows) {
  const isSame = new Uint8Array(previous.ids.size);
  const changed: string[] = [];
  await eachOf(digests, ({ id, digest }) => {
    const number = previous.ids.numberOf(id);
    if (number !== undefined && previous.digests[number] === digest) isSame[number] = 1;
    else changed.push(id);
  });
  return { isSame, changed };
}

async function readTallies(read: Batches<ReadTallies>, shows: ListedShows, tallies: ShowTallies): Promise<void> {
  await eachOf(read, (one) => {
    const number = shows.ids.numberOf(one.show_id);
    if (number !== undefined) tallies.set(number, one);
  });
}

async function eachOf<T>(batches: Batches<T>, step: (one: T) => void): Promise<void> {
  const turn = takeTurns();
  for await (const batch of batches) {
    for (const one of batch) {
      step(one);
      if (turn.isOver()) await turn.next();
    }
  }
}
