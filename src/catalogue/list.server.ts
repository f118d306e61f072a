import { setImmediate as nextTurn } from "node:timers/promises";
import type { RevisedTallies, Tallies } from "../domain/review.ts";
import type { ListedShow, Show } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { createPage, type FoundPage, type PageEntry } from "./page-json.server.ts";
import { createSearchIndex, type SearchIndex, TEXT_END } from "./search-index.server.ts";
import { fold } from "./search-text.ts";
import type { ShowTallies, Snapshot } from "./snapshot-queries.server.ts";
import { byTitle, compareCodeUnits } from "./title-collation.ts";

/** The programme in memory. Its shows never change, their tallies do. */
export interface ShowList {
  size: number;
  has(showId: string): boolean;
  /** A page of shows with their tallies, by newest review, then by title. */
  find(query: ShowQuery): FoundPage;
  /** A page of shows without tallies, by title, whatever `interaction` asks for. */
  findAlone(query: ShowQuery): FoundPage;
  /** Returns whether the tallies are news: those of a listed show, and newer than the ones it has. */
  setTallies(showId: string, tallies: RevisedTallies): boolean;
}

interface Entry {
  show: Show;
  /** The show's place in the order by title, and its number in the search index. */
  rank: number;
  reviews: Tallies;
  revision: number;
  /** The show with and without its tallies, made when it is first on a page. */
  listed?: PageEntry | undefined;
  alone?: PageEntry;
}

const noReviews: Tallies = { no: 0, very_little: 0, yes: 0, latest_at: null };

/** Builds the list of a snapshot. Yields between the long steps: each takes some 20 ms for 4,000 shows. */
export async function buildShowList({ shows, tallies }: Snapshot): Promise<ShowList> {
  const sorted = shows.toSorted(byTitle);
  await nextTurn();
  const index = await createSearchIndex(sorted.map(searchedText));
  return createShowList(sorted, index, tallies ?? []);
}

export function createEmptyList(): ShowList {
  return createShowList([], { find: () => [] }, []);
}

function createShowList(shows: readonly Show[], index: SearchIndex, tallies: readonly ShowTallies[]): ShowList {
  const entries = shows.map((show, rank): Entry => ({ show, rank, reviews: noReviews, revision: 0 }));
  const entriesById = new Map(entries.map((entry) => [entry.show.id, entry]));
  for (const { show_id, ...read } of tallies) {
    const entry = entriesById.get(show_id);
    if (entry) replaceTallies(entry, read);
  }
  const order = entries.toSorted(byNewestReview);

  /** A 1 at the rank of each show that the last search found. */
  const isFound = new Uint8Array(entries.length);

  /** Which entries are in the list that a query asks for; undefined for all. Good until the next call. */
  function createFilter({ search, interaction }: Pick<ShowQuery, "search" | "interaction">) {
    const text = fold(search);
    if (text === "" && interaction.length === 0) return undefined;
    isFound.fill(text === "" ? 1 : 0);
    if (text !== "") for (const rank of index.find(text)) isFound[rank] = 1;
    const hasChosen = ({ reviews }: Entry) => interaction.some((chosen) => reviews[chosen] > 0);
    return (entry: Entry) => isFound[entry.rank] === 1 && (interaction.length === 0 || hasChosen(entry));
  }

  return {
    size: entries.length,
    has: (showId) => entriesById.has(showId),
    find: (query) =>
      createPage({
        asked: query.page,
        entries: order,
        isListed: createFilter(query),
        toPageEntry: listedEntry,
      }),
    findAlone: ({ search, page }) =>
      createPage({
        asked: page,
        entries,
        isListed: createFilter({ search, interaction: [] }),
        toPageEntry: aloneEntry,
      }),
    setTallies(showId, changed) {
      const entry = entriesById.get(showId);
      if (!entry || changed.revision <= entry.revision) return false;
      order.splice(order.indexOf(entry), 1);
      replaceTallies(entry, changed);
      const next = order.findIndex((other) => byNewestReview(entry, other) < 0);
      order.splice(next < 0 ? order.length : next, 0, entry);
      return true;
    },
  };
}

function searchedText({ title, artist, venue_name }: Show): string {
  return fold([title, artist ?? "", venue_name ?? ""].join(TEXT_END));
}

/** Pages that were found before keep the tallies that they were found with. */
function replaceTallies(entry: Entry, { revision, ...reviews }: RevisedTallies): void {
  entry.reviews = reviews;
  entry.revision = revision;
  entry.listed = undefined;
}

/** All times have the same format, in which texts are ordered as times are. */
function byNewestReview(a: Entry, b: Entry): number {
  return compareCodeUnits(b.reviews.latest_at ?? "", a.reviews.latest_at ?? "") || a.rank - b.rank;
}

function listedEntry(entry: Entry): PageEntry {
  entry.listed ??= createPageEntry({ ...entry.show, reviews: entry.reviews });
  return entry.listed;
}

function aloneEntry(entry: Entry): PageEntry {
  entry.alone ??= createPageEntry(entry.show);
  return entry.alone;
}

function createPageEntry(show: ListedShow): PageEntry {
  return { show, json: JSON.stringify(show) };
}
