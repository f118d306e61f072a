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
  ids: ShowIds;
  /** Where each show's text is kept, by rank. */
  addresses: Float64Array;
  /** What is searched of each show, by rank. */
  searchTexts: readonly string[];
  index: SearchIndex;
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

  const withTallies = keepSome((rank) => readShow(rank, `,"reviews":${tallies.json(rank)}}`));
  const alone = keepSome((rank) => readShow(rank, "}"));

  /** @param end what comes after the text, in ASCII */
  function readShow(rank: number, end: string): FoundShow {
    const text = texts.read(addresses[rank] ?? 0);
    const json = Buffer.allocUnsafe(text.length + end.length);
    json.set(text);
    json.write(end, text.length, "latin1");
    return { json, digest: digestOf(json) };
  }

  return {
    size: ids.size,
    find({ search, interaction, page }) {
      const text = fold(search);
      const wanted = answerBits(interaction);
      if (text === "") {
        const total = order.count(wanted);
        return foundPage(page, total, (from) => order.slice(wanted, from, PAGE_SIZE).map(withTallies.of));
      }
      const matches = index.find(text);
      const found = wanted === 0 ? matches : tallies.withAny(wanted, matches);
      return foundPage(page, found.length, (from) => order.sliceOf(found, from, PAGE_SIZE).map(withTallies.of));
    },
    findAlone({ search, page }) {
      const text = fold(search);
      if (text === "") return foundPage(page, ids.size, (from) => ranksFrom(from, ids.size).map(alone.of));
      const found = index.find(text);
      return foundPage(page, found.length, (from) => [...found.subarray(from, from + PAGE_SIZE)].map(alone.of));
    },
    setTallies(showId, changed) {
      const rank = ids.numberOf(showId);
      if (rank === undefined || changed.revision <= tallies.revision(rank)) return false;
      order.move(rank, () => tallies.set(rank, changed));
      withTallies.forget(rank);
      return true;
    },
    ids,
    addresses,
    searchTexts,
    index,
  };
}

/** How many shows are kept as they are on a page, some 1 KB each. */
const MOST_KEPT = 5_000;

/** Shows as they are on a page, by rank: all of a usual programme's, and of a larger one those that were asked for since there were too many. */
function keepSome(read: (rank: number) => FoundShow) {
  const kept = new Map<number, FoundShow>();
  return {
    of(rank: number): FoundShow {
      const known = kept.get(rank);
      if (known) return known;
      if (kept.size === MOST_KEPT) kept.clear();
      const show = read(rank);
      kept.set(rank, show);
      return show;
    },
    forget: (rank: number) => kept.delete(rank),
  };
}

/** The ranks of a page of all shows by title. */
function ranksFrom(first: number, size: number): number[] {
  return Array.from({ length: Math.max(0, Math.min(PAGE_SIZE, size - first)) }, (_, place) => first + place);
}
