import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { listUrl } from "./list-url.ts";

export interface SeenList {
  list: ShowPage;
  /** When it was first on screen, in ms since 1970. */
  seenAt: number;
}

const MAX_LISTS = 20;

const seen = new Map<string, SeenList>();

/** docs/product.md §8.11. None without tallies: it would hide those of an earlier one. */
export function rememberList(query: ShowQuery, list: ShowPage): void {
  if (list.shows.some(({ reviews }) => !reviews)) return;
  const url = listUrl(query);
  seen.delete(url);
  seen.set(url, { list, seenAt: Date.now() });
  const [oldest] = seen.keys();
  if (seen.size > MAX_LISTS && oldest !== undefined) seen.delete(oldest);
}

export function recallList(query: ShowQuery): SeenList | undefined {
  return seen.get(listUrl(query));
}
