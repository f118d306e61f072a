import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { listUrl } from "./list-url.ts";

/** A list that was on screen. */
export interface SeenList {
  list: ShowPage;
  /** When it was first on screen, in ms since 1970. */
  seenAt: number;
}

const MAX_LISTS = 20;

/** By URL, the one that was seen last at the end. They end with the page. */
const seen = new Map<string, SeenList>();

/**
 * Keeps a list that is on screen, to show it again without the network (docs/product.md §8.11). One without
 * tallies would hide those of an earlier one.
 */
export function rememberList(query: ShowQuery, list: ShowPage): void {
  if (list.shows.some(({ reviews }) => !reviews)) return;
  const url = listUrl(query);
  seen.delete(url);
  seen.set(url, { list, seenAt: Date.now() });
  const [oldest] = seen.keys();
  if (seen.size > MAX_LISTS && oldest !== undefined) seen.delete(oldest);
}

/** Returns the list that this page showed last for a query. */
export function recallList(query: ShowQuery): SeenList | undefined {
  return seen.get(listUrl(query));
}
