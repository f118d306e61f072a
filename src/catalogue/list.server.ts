import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import { reviewCount, type Tallies } from "../domain/review.ts";
import type { ListedShow, Show, ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { noTallies } from "../domain/tallies-dto.ts";
import { createCpuThrottle } from "../lib/cpu-throttle.server.ts";
import { digestOf } from "../lib/hash.server.ts";
import {
  byNewestReview,
  compareCodeUnits,
  createListSearch,
  moveEntry,
  namesakeMark,
  setPositions,
  titles,
  withTotal,
} from "./list-search.ts";
import { nameOf } from "./search-folding.ts";
import { createSearchIndex } from "./search-index.server.ts";
import { type SearchIndex, searchableText } from "./search-texts.ts";
import type { ShowMetadata, Snapshot, SnapshotShow } from "./snapshot-queries.server.ts";

/** Its tallies change, its shows do not. */
export type ShowList = ReturnType<typeof createShowList>;

export interface FoundShow {
  show: ListedShow;
  metadata: ShowMetadata;
}

interface PageEntry {
  show: ListedShow;
  json: string;
}

interface Entry extends SnapshotShow {
  /** The position in the order by title and in the search index; -1 for a show of an earlier year. */
  rank: number;
  /** The position in the order by newest review; -1 for a show of an earlier year. */
  position: number;
  reviews: Tallies;
  /** Created on first use, like `alone`. */
  listed?: PageEntry | undefined;
  alone?: PageEntry;
}

/** In characters, of an id in the tallies (docs/product.md §9.14). */
const MIN_ID_START = 6;

export async function buildShowList(
  { shows, tallies, unlisted = [] }: Snapshot,
  throttle = createCpuThrottle(),
): Promise<ShowList> {
  const { listed = [], past = [] } = Object.groupBy(shows, ({ show }) =>
    show.year === YEAR ? "listed" : "past",
  );
  sortByTitle(listed, ({ show }) => show);
  await throttle();
  const index = await createSearchIndex(
    listed.map(({ show }) => searchableText(show)),
    throttle,
  );
  const namesakes = await findNamesakes(listed, past, throttle);
  await throttle();
  const reviewed = new Map(tallies?.map(({ show_id, ...reviews }) => [show_id, reviews]));
  const toEntry = (show: SnapshotShow, rank: number): Entry => ({
    ...show,
    rank,
    position: rank,
    reviews: reviewed.get(show.show.id) ?? noTallies,
  });
  const entries = listed.map(toEntry);
  const pastEntries = past.map((show) => toEntry(show, -1));
  await throttle();
  const order = entries.toSorted(byNewestReview);
  await throttle();
  return createShowList({ entries, pastEntries, order, unlisted, index, namesakes, talliesKnown: !!tallies });
}

/** By the id of a listed show: last year's shows of the same name (docs/product.md §3.16). */
async function findNamesakes(
  listed: readonly SnapshotShow[],
  past: readonly SnapshotShow[],
  throttle: () => Promise<void>,
) {
  const namesakes = new Map<string, readonly string[]>();
  const lastYear = past.filter(({ show }) => show.year === YEAR - 1);
  if (lastYear.length === 0) return namesakes;
  const idsByName = new Map<string, string[]>();
  for (const [index, { show }] of [...lastYear, ...listed].entries()) {
    const name = nameOf(show);
    const ids = idsByName.get(name);
    if (index < lastYear.length) idsByName.set(name, [...(ids ?? []), show.id]);
    else if (ids) namesakes.set(show.id, ids);
    await throttle();
  }
  return namesakes;
}

export const createEmptyList = (): ShowList => createShowList({});

interface PreparedShows {
  /** By title. */
  entries: readonly Entry[];
  pastEntries: readonly Entry[];
  /** The entries by newest review. */
  order: Entry[];
  unlisted: NonNullable<Snapshot["unlisted"]>;
  index: SearchIndex;
  namesakes: Awaited<ReturnType<typeof findNamesakes>>;
  talliesKnown: boolean;
}

function createShowList({
  entries = [],
  pastEntries = [],
  order = [],
  unlisted = [],
  index = { find: () => [], withTrigram: () => [], foldedFields: () => [] },
  namesakes = new Map(),
  talliesKnown = false,
}: Partial<PreparedShows>) {
  const unlistedTitles = new Map(unlisted.map(({ id, title }) => [id, title]));
  const otherIds = [...unlistedTitles.keys()];
  const search = createListSearch({ byTitle: entries, past: pastEntries, otherIds, ...index });
  setPositions(order);

  function listedEntry(entry: Entry): PageEntry {
    entry.listed ??= createPageEntry({
      ...entry.show,
      ...namesakeMark(entries, entry),
      ...lastYearOf(entry),
      reviews: withTotal(entry.reviews),
    });
    return entry.listed;
  }

  function aloneEntry(entry: Entry): PageEntry {
    entry.alone ??= createPageEntry({ ...entry.show, ...namesakeMark(entries, entry) });
    return entry.alone;
  }

  /** Only for a single reviewed namesake: of several, the right one is unknown. */
  function lastYearOf({ show }: Entry): Pick<ListedShow, "last_year"> {
    const all = (namesakes.get(show.id) ?? []).flatMap((id) => search.get(id)?.reviews ?? []);
    const [reviews, another] = all.filter((each) => reviewCount(each) > 0);
    if (!reviews || another) return {};
    const { no, very_little, yes } = reviews;
    return { last_year: { no, very_little, yes } };
  }

  return {
    size: entries.length,
    /** True also for shows of earlier years. */
    has: (showId: string) => search.get(showId) !== undefined,
    /** Without tallies while they are unknown. */
    get(showId: string): FoundShow | undefined {
      const entry = search.get(showId);
      if (!entry) return undefined;
      const { show } = talliesKnown ? listedEntry(entry) : aloneEntry(entry);
      return { show, metadata: entry.metadata };
    },
    unlistedTitle: (showId: string) => unlistedTitles.get(showId),
    /** By title. */
    shows: () => entries.map(({ show }) => show),
    /** In the order of the list. */
    reviewed: () => order.filter(({ reviews }) => reviews.latest_at !== null),
    /** The shortest beginning of the id that no other stored show's id has. */
    idStart: (showId: string) => search.startOf(showId, MIN_ID_START),
    /** The id that alone begins so (docs/product.md §2.25). Undefined for an unlisted show. */
    wholeId: (start: string) => search.getByStart(start)?.show.id,
    /** By newest review, then by title (docs/product.md §2.3); shows alone by title (docs/product.md §8.3). */
    find(query: ShowQuery, isAlone: boolean) {
      const { shown, ...found } = search.select(query, isAlone ? null : order);
      const [single] = query.show === undefined ? [] : shown;
      const address = single && { short_id: search.startOf(single.show.id) };
      return createPage({ ...found, ...address }, shown.map(isAlone ? aloneEntry : listedEntry));
    },
    /** False unless the show has a page and the revision is newer. */
    setTallies(showId: string, tallies: Tallies): boolean {
      const entry = search.get(showId);
      if (!entry || tallies.revision <= entry.reviews.revision) return false;
      replaceTallies(entry, tallies);
      if (entry.position >= 0) moveEntry(order, entry);
      else for (const [id, pastIds] of namesakes) if (pastIds.includes(showId)) outdate(search.get(id));
      return true;
    },
  };
}

/** Replaces the object, so that earlier pages keep their tallies. */
function replaceTallies(entry: Entry, reviews: Tallies): void {
  entry.reviews = reviews;
  outdate(entry);
}

function outdate(entry: Entry | undefined): void {
  if (entry) entry.listed = undefined;
}

/** `10,000` is one number. */
const groupedNumber = /(?<![\d,.])\d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3})+(?!\d)/g;

/** Case, accents and punctuation are ignored. Ties are broken by id (docs/product.md §2.3). */
export function sortByTitle<T>(list: T[], showOf: (member: T) => Pick<Show, "id" | "title">): void {
  const keys = new Map(
    list.map((member) => [
      member,
      showOf(member).title.replace(groupedNumber, (number) => number.replace(/\D/g, "")),
    ]),
  );
  const key = (member: T) => keys.get(member) ?? "";
  list.sort((a, b) => titles.compare(key(a), key(b)) || compareCodeUnits(showOf(a).id, showOf(b).id));
}

function createPageEntry(show: ListedShow): PageEntry {
  return { show, json: JSON.stringify(show) };
}

/** `hash` is a digest of `json`, equal on every instance. */
function createPage(found: Omit<ShowPage, "year" | "page_size" | "shows">, shown: PageEntry[]) {
  const shows = shown.map(({ show }) => show);
  const page: ShowPage = { year: YEAR, page_size: PAGE_SIZE, ...found, shows };
  // From cached JSON: serialising twenty shows takes longer than the rest of a search.
  const head = JSON.stringify({ ...page, shows: [] }).slice(0, -"]}".length);
  const json = `${head}${shown.map(({ json }) => json).join(",")}]}`;
  return { page, json, hash: digestOf(json) };
}
