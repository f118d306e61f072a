import type { Tallies } from "../reviews/review.ts";
import { fold } from "./fold.ts";
import { inSlices, takeTurns } from "./in-slices.server.ts";
import { createSearchIndex } from "./search-index.server.ts";
import { type ListedShow, type Show, showOf } from "./show.ts";
import { createShowList, type ShowList } from "./show-list.server.ts";
import { byNewestReview, createShowOrder } from "./show-order.server.ts";
import { createShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";
import { sortInSlices } from "./sort-in-slices.server.ts";
import { byTitle } from "./title-order.ts";

/** Shows, some at a time. */
export type Batches = Iterable<readonly ListedShow[]> | AsyncIterable<readonly ListedShow[]>;

/** A show with what the list needs of it; the rest is in its text. */
interface Gathered {
  id: string;
  title: string;
  searchText: string;
  address: number;
  tallies: Tallies | undefined;
}

/** Stands between the fields that are searched; no search holds it. */
const FIELD_END = "\0";

/**
 * Makes a list of shows that come in batches, in no order; others have their turn in between. A show without `reviews` has none.
 * @param texts keeps what visitors see of the shows
 * @param previous whose texts are kept already
 */
export async function buildShowList(batches: Batches, texts: ShowTexts, previous: ShowList): Promise<ShowList> {
  const shows = await sortInSlices(await gather(batches, texts, previous), byTitle);
  const ranks = new Map<string, number>();
  const addresses = new Float64Array(shows.length);
  const tallies = createShowTallies(shows.length);
  const searchTexts: string[] = [];
  await inSlices(shows.length, (rank) => {
    const show = shows[rank];
    if (!show) return;
    ranks.set(show.id, rank);
    addresses[rank] = show.address;
    if (show.tallies) tallies.set(rank, show.tallies);
    searchTexts.push(show.searchText);
  });
  const index = await createSearchIndex(searchTexts);
  const order = createShowOrder(await sortInSlices([...ranks.values()], byNewestReview(tallies)), tallies);
  return createShowList({ ranks, texts, addresses, tallies, index, order });
}

async function gather(batches: Batches, texts: ShowTexts, previous: ShowList): Promise<Gathered[]> {
  const gathered: Gathered[] = [];
  const turn = takeTurns();
  for await (const batch of batches) {
    for (const show of batch) {
      const { id, title, reviews } = show;
      const address = texts.add(JSON.stringify(showOf(show)).slice(0, -1), previous.addressOf(id));
      gathered.push({ id, title, searchText: searchTextOf(show), address, tallies: reviews });
      if (turn.isOver()) await turn.next();
    }
  }
  return gathered;
}

/** Title, artist and venue as they are searched. */
function searchTextOf({ title, artist, venue_name }: Show): string {
  return [title, artist ?? "", venue_name ?? ""].map(fold).join(FIELD_END);
}
