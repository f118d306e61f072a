import type { RevisedTallies } from "../reviews/review.ts";
import { fold } from "./fold.ts";
import { inSlices, takeTurns } from "./in-slices.server.ts";
import { createSearchIndex } from "./search-index.server.ts";
import type { Show } from "./show.ts";
import { createShowIds } from "./show-ids.server.ts";
import { createShowList, type ShowList } from "./show-list.server.ts";
import { byNewestReview, createShowOrder } from "./show-order.server.ts";
import { createShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";
import { sortByTitle } from "./sort-by-title.server.ts";
import { mergeInSlices, sortInSlices } from "./sort-in-slices.server.ts";
import { byTitle } from "./title-order.ts";

/** A show as it is read: what it is found and ordered by, and everything that visitors see of it. */
export interface ReadShow extends Pick<Show, "id" | "title" | "artist" | "venue_name"> {
  /** The `Show` as JSON, without white space before its end. */
  json: string;
  /** Without, it has none, or they are unknown like all others. */
  reviews?: RevisedTallies;
}

/** Shows, some at a time. */
export type Batches = Iterable<readonly ReadShow[]> | AsyncIterable<readonly ReadShow[]>;

/** A show with what the list needs of it; the rest is in its text. */
interface Gathered {
  id: string;
  title: string;
  searchText: string;
  address: number;
  tallies: RevisedTallies | undefined;
}

/** Stands between the fields that are searched; no search holds it. */
const FIELD_END = "\0";

/**
 * Makes a list of shows that come in batches, in no order; others have their turn in between.
 * @param texts keeps what visitors see of the shows
 * @param previous whose texts are kept already; what is known of a show that has not changed since is taken from there
 */
export async function buildShowList(batches: Batches, texts: ShowTexts, previous: ShowList): Promise<ShowList> {
  const { same, others } = await gather(batches, texts, previous);
  const isAsBefore = others.length === 0 && same.length === previous.size;
  const shows = isAsBefore ? same : await mergeInSlices(same, await sortByTitle(others), byTitle);
  const tallies = createShowTallies(shows.length);
  await inSlices(shows.length, (rank) => {
    const reviews = shows[rank]?.tallies;
    if (reviews) tallies.set(rank, reviews);
  });
  const ranks = shows.map((_, rank) => rank);
  const order = createShowOrder(await sortInSlices(ranks, byNewestReview(tallies)), tallies);
  const { ids, addresses, searchTexts, index } = isAsBefore ? previous : await indexShows(shows);
  return createShowList({ ids, texts, addresses, searchTexts, tallies, index, order });
}

/** What a list has of its shows besides their tallies. */
async function indexShows(shows: readonly Gathered[]) {
  const ids = createShowIds(shows.length);
  const addresses = new Float64Array(shows.length);
  const searchTexts: string[] = [];
  await inSlices(shows.length, (rank) => {
    const show = shows[rank];
    if (!show) return;
    ids.add(show.id);
    addresses[rank] = show.address;
    searchTexts.push(show.searchText);
  });
  return { ids, addresses, searchTexts, index: await createSearchIndex(searchTexts) };
}

/** The shows whose text is the same as before, in the order in which they were, and all others. */
async function gather(batches: Batches, texts: ShowTexts, previous: ShowList) {
  const byPreviousRank: (Gathered | undefined)[] = new Array(previous.size).fill(undefined);
  const others: Gathered[] = [];
  const turn = takeTurns();
  for await (const batch of batches) {
    for (const show of batch) {
      const { title, json, reviews } = show;
      const rank = previous.ids.numberOf(show.id);
      const known = rank === undefined ? undefined : previous.addresses[rank];
      const address = texts.add(json.slice(0, -1), known);
      if (rank !== undefined && address === known) {
        // Its own texts can go: the list has them already.
        const [id = show.id, searchText = ""] = [previous.ids.at(rank), previous.searchTexts[rank]];
        byPreviousRank[rank] = { id, title, searchText, address, tallies: reviews };
      } else {
        others.push({ id: show.id, title, searchText: searchTextOf(show), address, tallies: reviews });
      }
      if (turn.isOver()) await turn.next();
    }
  }
  return { same: byPreviousRank.filter((show) => show !== undefined), others };
}

/** Title, artist and venue as they are searched. */
function searchTextOf({ title, artist, venue_name }: ReadShow): string {
  return [title, artist ?? "", venue_name ?? ""].map(fold).join(FIELD_END);
}
