import { fold } from "./fold.ts";
import { growArray, growNumbers } from "./grow-array.server.ts";
import { eachOf, inSlices } from "./in-slices.server.ts";
import { growSearchIndex, type SearchIndex } from "./search-index.server.ts";
import { noIds, numberIds, type ShowIds } from "./show-ids.server.ts";
import { createShowOrder, type ShowOrder, withoutReviews } from "./show-order.server.ts";
import type { Batches, ReadShow } from "./show-source.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";
import { sortByTitle } from "./sort-by-title.server.ts";
import { mergeInSlices, numbersFrom } from "./sort-in-slices.server.ts";
import { compareIds, compareTitles } from "./title-order.ts";

/** What a list has of its shows besides their tallies, side by side. A show goes by its number. */
export interface ListedShows {
  ids: ShowIds;
  titles: readonly string[];
  /** What names each show's text: the same, if it is the same. */
  digests: Float64Array;
  /** What names all ids, titles, artists and venues: for the same ones the same. */
  foundBy: number;
  /** Where each show's text is kept. */
  addresses: Float64Array;
  /** Title, artist and venue, as they are searched. */
  index: SearchIndex;
  /** Each show's place in the order by title. */
  ranks: Uint32Array;
  byTitle: ShowOrder;
}

export const noShows: ListedShows = {
  ids: noIds,
  titles: [],
  digests: new Float64Array(),
  foundBy: 0,
  addresses: new Float64Array(),
  index: { texts: [], find: () => new Uint32Array() },
  ranks: new Uint32Array(),
  byTitle: createShowOrder(new Uint32Array(), { ranks: new Uint32Array(), ...withoutReviews(0) }),
};

/** Shows that become a list's. */
export interface GrowingShows {
  /** Takes a show over from an earlier list. To be called in the order by title, and before `add`. */
  takeOver(from: ListedShows, number: number): void;
  add(show: ReadShow): void;
  /** To be called last, with what names all ids, titles, artists and venues; others have their turn in between. */
  finish(foundBy: number): Promise<ListedShows>;
}

/** Stands between the fields that are searched; no search holds it. */
const FIELD_END = "\0";

/** @param texts keeps what visitors see of the shows */
export function growShows(texts: ShowTexts): GrowingShows {
  const growingIds = growArray<string>();
  const growingTitles = growArray<string>();
  const growingDigests = growNumbers();
  const growingAddresses = growNumbers();
  const index = growSearchIndex();
  let takenOver = 0;

  /** The numbers of all shows by title. Those that were taken over are so already. */
  async function sort(ids: readonly string[], titles: readonly string[]): Promise<Uint32Array> {
    const titleOf = (number: number) => titles[number] ?? "";
    const byTitle = (a: number, b: number) =>
      compareTitles(titleOf(a), titleOf(b)) || compareIds(ids[a] ?? "", ids[b] ?? "");
    const added = await sortByTitle(numbersFrom(takenOver, ids.length), titleOf, byTitle);
    return mergeInSlices(added, numbersFrom(0, takenOver), byTitle);
  }

  return {
    takeOver(from, number) {
      takenOver++;
      growingIds.add(from.ids.at(number) ?? "");
      growingTitles.add(from.titles[number] ?? "");
      growingDigests.add(from.digests[number] ?? 0);
      growingAddresses.add(texts.renew(from.addresses[number] ?? 0));
      index.add(from.index.texts[number] ?? "");
    },
    add(show) {
      const { id, title, artist, venue_name } = show;
      growingIds.add(id);
      growingTitles.add(title);
      growingDigests.add(show.digest);
      growingAddresses.add(texts.add(textOf(show)));
      index.add([title, artist ?? "", venue_name ?? ""].map(fold).join(FIELD_END));
    },
    async finish(foundBy) {
      const ids = await growingIds.pack();
      const titles = await growingTitles.pack();
      const sorted = await sort(ids, titles);
      const ranks = new Uint32Array(ids.length);
      await inSlices(ids.length, (rank) => {
        ranks[sorted[rank] ?? 0] = rank;
      });
      return {
        ids: await numberIds(ids),
        titles,
        digests: await growingDigests.pack(),
        foundBy,
        addresses: await growingAddresses.pack(),
        index: await index.pack(),
        ranks,
        byTitle: createShowOrder(sorted, { ranks, ...withoutReviews(ids.length) }),
      };
    },
  };
}

/** What is kept of a show's JSON: all but the brace that closes it. */
function textOf({ json }: ReadShow): Uint8Array {
  return json.subarray(0, -1);
}

/**
 * The shows of an earlier list, of which some have other texts now. They are found and ordered as before, which is shared.
 * @param changed those shows
 */
export async function renewTexts(
  previous: ListedShows,
  changed: Batches<ReadShow>,
  texts: ShowTexts,
): Promise<ListedShows> {
  const digests = previous.digests.slice();
  const addresses = previous.addresses.slice();
  const isNew = new Uint8Array(addresses.length);
  await eachOf(changed, (show) => {
    const number = previous.ids.numberOf(show.id) ?? 0;
    digests[number] = show.digest;
    addresses[number] = texts.add(textOf(show));
    isNew[number] = 1;
  });
  await inSlices(addresses.length, (number) => {
    if (isNew[number] === 0) addresses[number] = texts.renew(addresses[number] ?? 0);
  });
  return { ...previous, digests, addresses };
}
