import type { Tallies } from "../domain/review.ts";
import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { listUrl } from "./list-url.ts";

export interface SeenList {
  list: ShowPage;
  /** When it was loaded, in ms since 1970. */
  seenAt: number;
}

const MAX_LISTS = 20;

/** The last lists of this tab, and the newest tallies of any of them (docs/product.md §8.11). */
export function createSeenLists() {
  const seen = new Map<string, SeenList>();
  const tallies = new Map<string, { reviews: Tallies; seenAt: number }>();
  return {
    /** Leaves out lists without tallies: they would hide earlier tallies. */
    remember(query: ShowQuery, list: ShowPage): void {
      if (list.shows.some(({ reviews }) => !reviews)) return;
      const url = listUrl(query);
      seen.delete(url);
      const seenAt = Date.now();
      seen.set(url, { list, seenAt });
      for (const { id, reviews } of list.shows) if (reviews) tallies.set(id, { reviews, seenAt });
      const [oldest] = seen.keys();
      if (seen.size > MAX_LISTS && oldest !== undefined) seen.delete(oldest);
    },
    recall(query: ShowQuery): SeenList | undefined {
      return seen.get(listUrl(query));
    },
    /** @param time in ms since 1970 */
    talliesSince(time: number): [showId: string, Tallies][] {
      return [...tallies].flatMap(([id, { reviews, seenAt }]) => (seenAt > time ? [[id, reviews]] : []));
    },
  };
}
