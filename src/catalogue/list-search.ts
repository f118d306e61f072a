import { areFew, describeReviews } from "../domain/interaction-words.ts";
import { PAGE_SIZE } from "../domain/programme.ts";
import type { Counts, Tallies } from "../domain/review.ts";
import type { ListedShow, Show } from "../domain/show.ts";
import { type ShowQuery, withoutTallies } from "../domain/show-query.ts";

// The server and the saved list search by it alike.

export interface ListEntry {
  /** The position in the order by title, and in what `find` returns. */
  rank: number;
  show: Pick<Show, "id" | "announced">;
  reviews: Counts;
}

interface SearchOptions<Entry> {
  byTitle: readonly Entry[];
  /** The ranks of what matches (docs/product.md §2.6). @param search a clean one, not empty */
  find(search: string): readonly number[];
}

export function createListSearch<Entry extends ListEntry>({ byTitle, find }: SearchOptions<Entry>) {
  const byId = new Map(byTitle.map((entry) => [entry.show.id, entry]));
  /** 1 at the rank of each match of the last search. */
  const matchFlags = new Uint8Array(byTitle.length);

  /** The predicate is valid until the next call. */
  function createFilter(query: ShowQuery) {
    const { search } = query;
    matchFlags.fill(search === "" ? 1 : 0);
    if (search !== "") for (const rank of find(search)) matchFlags[rank] = 1;
    return ({ rank, show, reviews }: Entry) => matchFlags[rank] === 1 && passesFilters(query, show, reviews);
  }

  function entriesFor({ show }: Pick<ShowQuery, "show">, all: readonly Entry[]): readonly Entry[] {
    if (show === undefined) return all;
    const entry = byId.get(show);
    return entry ? [entry] : [];
  }

  return {
    get: (showId: string) => byId.get(showId),
    /** @param order all entries; null for shows alone, which are sorted by title (docs/product.md §8.3) */
    select(query: ShowQuery, order: readonly Entry[] | null) {
      const isMatch = createFilter(order ? query : withoutTallies(query));
      const entries = entriesFor(query, order ?? byTitle);
      const total = count(entries, isMatch);
      const page = Math.min(query.page, Math.max(1, Math.ceil(total / PAGE_SIZE)));
      return { page, total, shown: slice(entries, isMatch, (page - 1) * PAGE_SIZE) };
    },
  };
}

/** Whether a list has a show, as far as the search finds it (docs/product.md §2.9, §2.20). */
function passesFilters(
  { interaction, announced, yes }: Pick<ShowQuery, "interaction" | "announced" | "yes">,
  show: Pick<Show, "announced">,
  reviews: Counts,
): boolean {
  return (
    (!announced || show.announced === announced) &&
    (!yes || (reviews.yes === 0 && !areFew(reviews))) &&
    (interaction.length === 0 || interaction.some((chosen) => reviews[chosen] > 0))
  );
}

export const noReviews: Tallies = { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 0 };

export function withTotal(reviews: Tallies): ListedShow["reviews"] {
  const { total, few } = describeReviews(reviews);
  return { ...reviews, total, few };
}

/** Arrays of all matches would stay until one of the rare major GCs. */
function count<Entry>(entries: readonly Entry[], isMatch: (entry: Entry) => boolean): number {
  let matches = 0;
  for (const entry of entries) if (isMatch(entry)) matches++;
  return matches;
}

function slice<Entry>(entries: readonly Entry[], isMatch: (entry: Entry) => boolean, skip: number): Entry[] {
  const page: Entry[] = [];
  let matches = 0;
  for (const entry of entries) {
    if (!isMatch(entry) || matches++ < skip) continue;
    page.push(entry);
    if (page.length === PAGE_SIZE) break;
  }
  return page;
}
