import { LRUCache } from "lru-cache";
import type { RevisedTallies } from "../domain/review.ts";
import { PAGE_SIZE } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { inOwnMemory } from "../http/own-memory.server.ts";
import { digestOf } from "../lib/digest.server.ts";
import { fold } from "./fold.ts";
import type { ListedShows } from "./listed-shows.server.ts";
import type { ShowOrder } from "./show-order.server.ts";
import { type FoundPage, type FoundShow, foundPage } from "./show-page.server.ts";
import { answerBits, type ShowTallies } from "./show-tallies.server.ts";
import type { ShowTexts } from "./show-texts.server.ts";

/** A programme in memory, to be searched, filtered and paged. Its shows stay as they are, their tallies change. */
export interface ShowList {
  shows: ListedShows;
  /** The page of shows with their tallies, by newest review. */
  find(query: ShowQuery): FoundPage;
  /** The page of shows alone, by title, whatever the chosen answers. */
  findAlone(query: ShowQuery): FoundPage;
  /** Whether they are news: not of a show that is not in the list, and not older than what it has. */
  setTallies(showId: string, tallies: RevisedTallies): boolean;
}

/** What a list is made of. */
export interface ShowListParts {
  shows: ListedShows;
  /** Keeps each show's JSON, without the closing brace. */
  texts: ShowTexts;
  tallies: ShowTallies;
  order: ShowOrder;
}

export function createShowList({ shows, texts, tallies, order }: ShowListParts): ShowList {
  const { ids, addresses, index, byTitle } = shows;

  const withTallies = keepShows((number) => readShow(number, `,"reviews":${tallies.json(number)}}`));
  const alone = keepShows((number) => readShow(number, "}"));

  /** @param end what comes after the text, in ASCII */
  function readShow(number: number, end: string): FoundShow {
    const text = texts.read(addresses[number] ?? 0);
    const piece = inOwnMemory(",", text, end);
    return { piece, digest: digestOf(piece) };
  }

  return {
    shows,
    find({ search, interaction, page }) {
      const text = fold(search);
      const wanted = answerBits(interaction);
      if (text === "") return pageOf(order, wanted, page, withTallies);
      const matches = index.find(text);
      return pageAmong(order, wanted === 0 ? matches : tallies.withAny(wanted, matches), page, withTallies);
    },
    findAlone({ search, page }) {
      const text = fold(search);
      if (text === "") return pageOf(byTitle, ANY, page, alone);
      return pageAmong(byTitle, index.find(text), page, alone);
    },
    setTallies(showId, changed) {
      const number = ids.numberOf(showId);
      if (number === undefined || changed.revision <= tallies.revision(number)) return false;
      order.move(number, () => tallies.set(number, changed));
      withTallies.delete(number);
      return true;
    },
  };
}

/** The set of answers that all shows are in. */
const ANY = 0;

/** How many shows are kept as they are on a page, some 1 KB each: all of a usual programme's, and of a larger one those that were asked for last. */
const MOST_KEPT = 10_000;

type KeptShows = LRUCache<number, FoundShow>;

/** Shows as they are on a page, each read when it is first asked for. */
function keepShows(read: (number: number) => FoundShow): KeptShows {
  return new LRUCache({ max: MOST_KEPT, memoMethod: read });
}

/** A page of the shows with any of these answers. */
function pageOf(order: ShowOrder, answers: number, page: number, shows: KeptShows): FoundPage {
  return foundPage(page, order.count(answers), (from) => readAll(order.slice(answers, from, PAGE_SIZE), shows));
}

/** A page of the shows that were found. */
function pageAmong(order: ShowOrder, found: Uint32Array, page: number, shows: KeptShows): FoundPage {
  return foundPage(page, found.length, (from) => readAll(order.sliceOf(found, from, PAGE_SIZE), shows));
}

function readAll(numbers: readonly number[], shows: KeptShows): FoundShow[] {
  return numbers.map((number) => shows.memo(number));
}
