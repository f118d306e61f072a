import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { describeReviews } from "../domain/interaction-words.ts";
import type { Tallies } from "../domain/review.ts";
import type { ListedShow, Show } from "../domain/show.ts";
import { type ShowQuery, withoutTallies } from "../domain/show-query.ts";
import { createPage, type PageEntry } from "./page-json.server.ts";
import { createSearchIndex, FIELD_SEPARATOR, type SearchIndex } from "./search-index.server.ts";
import { passesFilters } from "./show-filter.ts";
import type { ShowMetadata, Snapshot, SnapshotShow } from "./snapshot-queries.server.ts";

/** Its shows never change, their tallies do. */
export type ShowList = ReturnType<typeof createShowList>;

export interface FoundShow {
  show: ListedShow;
  metadata: ShowMetadata;
}

interface Entry extends SnapshotShow {
  /** The position in the order by title, and in the search index. */
  rank: number;
  reviews: Tallies;
  /** Created when first needed. */
  listed?: PageEntry | undefined;
  alone?: PageEntry;
}

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

const noReviews: Tallies = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0 };

/** Yields to the event loop between the long steps: each takes some 20 ms for 4,000 shows. */
export async function buildShowList({ shows, ...rest }: Snapshot): Promise<ShowList> {
  const sorted = shows.toSorted((a, b) => byTitle(a.show, b.show));
  await yieldToEventLoop();
  const index = await createSearchIndex(sorted.map(searchableText));
  return createShowList({ shows: sorted, ...rest }, index);
}

export function createEmptyList(): ShowList {
  return createShowList({ shows: [], tallies: null }, { find: () => [] });
}

function createShowList({ shows, tallies, unlisted = [] }: Snapshot, index: SearchIndex) {
  const entries = shows.map((show, rank): Entry => ({ ...show, rank, reviews: noReviews }));
  const entriesById = new Map(entries.map((entry) => [entry.show.id, entry]));
  for (const { show_id, ...reviews } of tallies ?? []) {
    const entry = entriesById.get(show_id);
    if (entry) replaceTallies(entry, reviews);
  }
  const order = entries.toSorted(byNewestReview);
  const unlistedTitles = new Map(unlisted.map(({ id, title }) => [id, title]));

  /** 1 at the rank of each match of the last search. */
  const matchFlags = new Uint8Array(entries.length);

  /** The predicate is valid until the next call. */
  function createFilter(query: ShowQuery) {
    const { search } = query;
    matchFlags.fill(search === "" ? 1 : 0);
    if (search !== "") for (const rank of index.find(search)) matchFlags[rank] = 1;
    return ({ rank, show, reviews }: Entry) => matchFlags[rank] === 1 && passesFilters(query, show, reviews);
  }

  function entriesFor({ show }: Pick<ShowQuery, "show">, all: readonly Entry[]): readonly Entry[] {
    if (show === undefined) return all;
    const entry = entriesById.get(show);
    return entry ? [entry] : [];
  }

  return {
    size: entries.length,
    has: (showId: string) => entriesById.has(showId),
    /** Without tallies while they are unknown. */
    get(showId: string): FoundShow | undefined {
      const entry = entriesById.get(showId);
      if (!entry) return undefined;
      const { show } = tallies ? listedEntry(entry) : aloneEntry(entry);
      return { show, metadata: entry.metadata };
    },
    unlistedTitle: (showId: string) => unlistedTitles.get(showId),
    showIds: () => entries.map(({ show }) => show.id),
    /**
     * By newest review, then by title (docs/product.md §2.3). Shows alone come without tallies, by title
     * (docs/product.md §8.3).
     */
    find: (query: ShowQuery, isAlone: boolean) =>
      createPage({
        requestedPage: query.page,
        entries: entriesFor(query, isAlone ? entries : order),
        isMatch: createFilter(isAlone ? withoutTallies(query) : query),
        toPageEntry: isAlone ? aloneEntry : listedEntry,
      }),
    /** Returns whether the tallies were replaced: the show is listed and the revision newer. */
    setTallies(showId: string, tallies: Tallies): boolean {
      const entry = entriesById.get(showId);
      if (!entry || tallies.revision <= entry.reviews.revision) return false;
      order.splice(order.indexOf(entry), 1);
      replaceTallies(entry, tallies);
      const next = order.findIndex((other) => byNewestReview(entry, other) < 0);
      order.splice(next < 0 ? order.length : next, 0, entry);
      return true;
    },
  };
}

function searchableText({ show: { title, artist, venue_name } }: SnapshotShow): string {
  return [title, artist ?? "", venue_name ?? ""].join(FIELD_SEPARATOR);
}

/** Replaces the object: pages returned before keep their tallies. */
function replaceTallies(entry: Entry, reviews: Tallies): void {
  entry.reviews = reviews;
  entry.listed = undefined;
}

/** Case, accents and punctuation are ignored. Ties are broken by id (docs/product.md §2.3). */
export function byTitle(a: Pick<Show, "id" | "title">, b: Pick<Show, "id" | "title">): number {
  return collator.compare(a.title, b.title) || compareCodeUnits(a.id, b.id);
}

/** For ASCII, the order of PostgreSQL's collation "C". */
function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Timestamps compare as strings: all have the same ISO format. */
function byNewestReview(a: Entry, b: Entry): number {
  return compareCodeUnits(b.reviews.latest_at ?? "", a.reviews.latest_at ?? "") || a.rank - b.rank;
}

function listedEntry(entry: Entry): PageEntry {
  entry.listed ??= createPageEntry({ ...entry.show, reviews: withTotal(entry.reviews) });
  return entry.listed;
}

function withTotal(reviews: Tallies): ListedShow["reviews"] {
  const { total, few } = describeReviews(reviews);
  return { ...reviews, total, few };
}

function aloneEntry(entry: Entry): PageEntry {
  entry.alone ??= createPageEntry(entry.show);
  return entry.alone;
}

function createPageEntry(show: ListedShow): PageEntry {
  return { show, json: JSON.stringify(show) };
}
