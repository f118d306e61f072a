import { areFew, tallyTexts } from "../domain/card-texts.ts";
import { PAGE_SIZE } from "../domain/programme.ts";
import { type Counts, reviewCount, type Tallies } from "../domain/review.ts";
import type { ListedShow, Show, ShowPage } from "../domain/show.ts";
import {
  cleanSearch,
  formatShowQuery,
  type ShowQuery,
  tracking,
  webAddress,
  wholeList,
} from "../domain/show-query.ts";
import { createSuggestions } from "./did-you-mean.ts";
import { createIdStarts } from "./id-starts.ts";
import type { SearchIndex } from "./search-texts.ts";

// Shared by the server and the saved list.

export interface ListEntry {
  /** The position in the order by title. `find` returns ranks. */
  rank: number;
  /** The position in the order by newest review. */
  position: number;
  show: Pick<Show, "id" | "title" | "artist" | "venue_name" | "announced" | "genre" | "website">;
  reviews: Tallies;
}

/** In characters, of a short address (docs/product.md §2.25). */
const MIN_SHORT_ID = 8;

interface SearchOptions<Entry> extends SearchIndex {
  byTitle: readonly Entry[];
  /** Shows of earlier years, found only by id. */
  past?: readonly Entry[] | undefined;
  /** Of shows without a page. They make beginnings of ids ambiguous. */
  otherIds?: readonly string[];
}

export function createListSearch<Entry extends ListEntry>(options: SearchOptions<Entry>) {
  const { byTitle, past = [], otherIds = [], find } = options;
  const byId = new Map([...past, ...byTitle].map((entry) => [entry.show.id, entry]));
  // Reused by each query: new arrays would stay until one of the rare major GCs.
  const isFound = new Uint8Array(byTitle.length);
  const matches = new Uint32Array(byTitle.length);

  let idStarts: ReturnType<typeof createIdStarts> | undefined;
  const getIdStarts = () => (idStarts ??= createIdStarts([...byId.keys(), ...otherIds]));

  /** @param min of a beginning, in characters */
  function getByStart(start: string, min = MIN_SHORT_ID): Entry | undefined {
    const exact = byId.get(start);
    return exact || start.length < min ? exact : byId.get(getIdStarts().idAt(start) ?? "");
  }

  let ranksByWebsite: Map<string | undefined, number[]> | undefined;

  /** The ranks of the shows with a ticket page that the search names (docs/product.md §2.24). */
  function findByWebsite(search: string): readonly number[] {
    const key = websiteKey(search);
    if (key === undefined) return [];
    if (!ranksByWebsite) {
      ranksByWebsite = new Map();
      for (const { rank, show } of byTitle) {
        // As a search for it would be cut.
        const ofShow = websiteKey(cleanSearch(show.website ?? ""));
        const same = ranksByWebsite.get(ofShow);
        if (same) same.push(rank);
        else ranksByWebsite.set(ofShow, [rank]);
      }
    }
    return ranksByWebsite.get(key) ?? [];
  }

  /** Writes the positions of matches into `matches`. @returns their number */
  function fillMatches(query: ShowQuery, order: readonly Entry[] | null): number {
    const asked = order ? query : withoutTallies(query);
    const { search } = asked;
    const entries = order ?? byTitle;
    isFound.fill(search === "" ? 1 : 0);
    if (search !== "")
      for (const ranks of [find(search), findByWebsite(search)])
        for (const rank of ranks) isFound[order ? (byTitle[rank]?.position ?? rank) : rank] = 1;
    let total = 0;
    for (let at = 0; at < entries.length; at++) {
      const entry = isFound[at] === 1 ? entries[at] : undefined;
      if (entry && passesFilters(asked, entry.show, entry.reviews)) matches[total++] = at;
    }
    return total;
  }

  const suggest = createSuggestions({
    ...options,
    fieldsOf(rank) {
      const { title, artist, venue_name } = byTitle[rank]?.show ?? {};
      return [title ?? "", artist ?? "", venue_name ?? ""];
    },
  });

  /** Only for a search that finds nothing without filters, either. It overwrites `matches`. */
  function didYouMean(query: ShowQuery, order: readonly Entry[] | null): ShowPage["did_you_mean"] {
    // What the search has just found, before its filters.
    if (isFound.includes(1)) return undefined;
    const search = cleanSearch(suggest(query.search) ?? "");
    if (search === "") return undefined;
    const list = [{ ...query, page: 1 }, wholeList]
      .map((kept) => ({ ...kept, search }))
      .find((asked) => fillMatches(asked, order) > 0);
    return list ? { search, query: formatShowQuery(list).toString() } : undefined;
  }

  return {
    get: (showId: string) => byId.get(showId),
    /** By the id, or by its beginning if that is unique, in any case. */
    getByStart,
    startOf: (showId: string, min = MIN_SHORT_ID) => getIdStarts().startOf(showId, min),
    /** @param order all entries; null for shows alone, sorted by title (docs/product.md §8.3) */
    select(query: ShowQuery, order: readonly Entry[] | null) {
      if (query.show !== undefined) {
        const entry = getByStart(query.show);
        return { page: 1, total: entry ? 1 : 0, shown: entry ? [entry] : [] };
      }
      const total = fillMatches(query, order);
      const page = Math.min(query.page, Math.max(1, Math.ceil(total / PAGE_SIZE)));
      const suggested = total === 0 ? didYouMean(query, order) : undefined;
      if (suggested) return { page, total, did_you_mean: suggested, shown: [] };
      const shown = matches.subarray((page - 1) * PAGE_SIZE, Math.min(page * PAGE_SIZE, total));
      return { page, total, shown: [...shown].flatMap((at) => (order ?? byTitle)[at] ?? []) };
    },
  };
}

/** `www.` or a path tells an address without its scheme from a word with a full stop. */
const bareAddress = /(?:^|\s)((?:www\.[^\s<>"]+|(?:[a-z\d-]+\.)+[a-z]{2,}\/[^\s<>"]+))/i;

/** Equal for all spellings of one page's address (docs/product.md §2.24). Undefined without an address. */
function websiteKey(text: string): string | undefined {
  const bare = bareAddress.exec(text)?.[1];
  const address = webAddress.exec(text)?.[0] ?? (bare && `https://${bare}`);
  if (!address) return undefined;
  try {
    const { host, pathname, search } = new URL(address.replace(/[.,;:!?'")\]]+$/, ""));
    const parameters = search.replace(tracking, "$1").split(/[?&]+/).filter(Boolean).join("&");
    return `${host.replace(/^www\./, "")}${pathname.replace(/\/+$/, "")}?${parameters}`;
  } catch {
    // No address, or none that a browser could open.
  }
}

/** Without the filters that need tallies (docs/product.md §8.3). */
export function withoutTallies(query: ShowQuery): ShowQuery {
  return { ...query, interaction: [], yes: undefined };
}

/** As people compare them (docs/product.md §2.3). */
export const titles = new Intl.Collator("en", {
  sensitivity: "base",
  numeric: true,
  ignorePunctuation: true,
});

/** @param byTitle all listed shows: those with the same title are neighbours */
export function namesakeMark(byTitle: readonly ListEntry[], { rank, show }: ListEntry) {
  const isSame = (at: number, field: "title" | "artist") => {
    const other = byTitle[at]?.show;
    return other && titles.compare(other[field] ?? "", show[field] ?? "") === 0;
  };
  // A show of an earlier year has no rank.
  for (const step of rank < 0 ? [] : [-1, 1])
    for (let at = rank + step; isSame(at, "title"); at += step)
      if (isSame(at, "artist")) return { has_namesake: true as const };
  return {};
}

/** Timestamps have one ISO format, so that they compare as strings. */
export function byNewestReview(a: ListEntry, b: ListEntry): number {
  return compareCodeUnits(b.reviews.latest_at ?? "", a.reviews.latest_at ?? "") || a.rank - b.rank;
}

/** The order of PostgreSQL's collation "C" for ASCII. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Moves an entry after a change of its reviews. @param order by newest review */
export function moveEntry<Entry extends ListEntry>(order: Entry[], entry: Entry): void {
  const { position } = entry;
  order.splice(position, 1);
  const found = order.findIndex((other) => byNewestReview(entry, other) < 0);
  const next = found < 0 ? order.length : found;
  order.splice(next, 0, entry);
  setPositions(order, Math.min(position, next), Math.max(position, next));
}

export function setPositions(order: readonly ListEntry[], first = 0, last = order.length - 1): void {
  for (const [at, entry] of order.slice(first, last + 1).entries()) entry.position = first + at;
}

/** All filters that are set must pass; of several answers, one is enough (docs/product.md §2.9, §2.20, §2.23). */
function passesFilters(
  { interaction, declared, yes, genre }: ShowQuery,
  show: Pick<Show, "announced" | "genre">,
  reviews: Counts,
): boolean {
  return (
    (!declared || show.announced === declared) &&
    (!genre || show.genre === genre) &&
    (!yes || passesYes(yes, reviews)) &&
    (interaction.length === 0 || interaction.some((chosen) => reviews[chosen] > 0))
  );
}

function passesYes(yes: NonNullable<ShowQuery["yes"]>, reviews: Counts): boolean {
  if (areFew(reviews)) return false;
  return yes === "none" ? reviews.yes === 0 : reviews.yes * 2 > reviewCount(reviews);
}

export function withTotal(reviews: Tallies): ListedShow["reviews"] {
  const { total, few } = tallyTexts(reviews);
  return { ...reviews, total, few };
}
