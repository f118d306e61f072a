import { digestOf } from "../http/digest.server.ts";
import type { RevisedTallies } from "../reviews/review.ts";
import { fold } from "./fold.ts";
import type { ShowQuery } from "./query.ts";
import type { SearchIndex } from "./search-index.server.ts";
import { PAGE_SIZE } from "./show.ts";
import type { ShowIds } from "./show-ids.server.ts";
import type { ShowOrder } from "./show-order.server.ts";
import { type FoundPage, type FoundShow, foundPage } from "./show-page.server.ts";
import { answerBits, type ShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";

/** A programme in memory, to be searched, filtered and paged. Its shows stay as they are, their tallies change. */
export interface ShowList {
  size: number;
  /** The page of shows with their tallies, by newest review. */
  find(query: ShowQuery): FoundPage;
  /** The page of shows alone, by title, whatever the chosen answers. */
  findAlone(query: ShowQuery): FoundPage;
  /** Whether they are news: not of a show that is not in the list, and not older than what it has. */
  setTallies(showId: string, tallies: RevisedTallies): boolean;
  /** Each show's rank by its id. */
  ids: Pick<ShowIds, "numberOf" | "at">;
  /** Where each show's text is kept, by rank. */
  addresses: Float64Array;
  /** What is searched of each show, by rank. */
  searchTexts: readonly string[];
}

/** What a list is made of. Shows go by their rank, their place in the order by title. */
export interface ShowListParts {
  ids: ShowIds;
  /** Keeps each show's JSON, without the closing brace. */
  texts: ShowTexts;
  addresses: Float64Array;
  searchTexts: readonly string[];
  tallies: ShowTallies;
  index: SearchIndex;
  order: ShowOrder;
}

export function createShowList(parts: ShowListParts): ShowList {
  const { ids, texts, addresses, searchTexts, tallies, index, order } = parts;

  /** Of each text that has been on a page, by rank. */
  const digests: (string | undefined)[] = new Array(ids.size);

  function found(rank: number, talliesOf: string | undefined): FoundShow {
    const text = texts.read(addresses[rank] ?? 0);
    digests[rank] ??= digestOf(text);
    return { text, digest: digests[rank], tallies: talliesOf };
  }

  const alone = (rank: number) => found(rank, undefined);
  const withTallies = (rank: number) => found(rank, tallies.json(rank));

  return {
    size: ids.size,
    find({ search, interaction, page }) {
      const text = fold(search);
      const wanted = answerBits(interaction);
      if (text === "") {
        const total = order.count(wanted);
        return foundPage(page, total, (from) => order.slice(wanted, from, PAGE_SIZE).map(withTallies));
      }
      const matches = index.find(text);
      const found = wanted === 0 ? matches : matches.filter((rank) => ((tallies.given[rank] ?? 0) & wanted) !== 0);
      return foundPage(page, found.length, (from) => order.sliceOf(found, from, PAGE_SIZE).map(withTallies));
    },
    findAlone({ search, page }) {
      const text = fold(search);
      if (text === "") return foundPage(page, ids.size, (from) => ranksFrom(from, ids.size).map(alone));
      const found = index.find(text);
      return foundPage(page, found.length, (from) => [...found.subarray(from, from + PAGE_SIZE)].map(alone));
    },
    setTallies(showId, changed) {
      const rank = ids.numberOf(showId);
      if (rank === undefined || changed.revision <= tallies.revision(rank)) return false;
      order.move(rank, () => tallies.set(rank, changed));
      return true;
    },
    ids,
    addresses,
    searchTexts,
  };
}

/** The ranks of a page of all shows by title. */
function ranksFrom(first: number, size: number): number[] {
  return Array.from({ length: Math.max(0, Math.min(PAGE_SIZE, size - first)) }, (_, place) => first + place);
}
