import { type ListedShow, PAGE_SIZE, type ShowPage, YEAR } from "../domain/show.ts";
import { digestOf } from "../lib/digest.server.ts";

/** A page of the list. */
export interface FoundPage {
  page: ShowPage;
  /** The page as `GET /api/shows` sends it. */
  json: string;
  /** A digest of `json`: the same on every instance that answers the same page. */
  hash: string;
}

/** Page number `asked` of the shows in `entries`, or the last page when there are fewer. */
export function createPage<Entry>(
  asked: number,
  entries: readonly Entry[],
  toListedShow: (entry: Entry) => ListedShow,
): FoundPage {
  const total = entries.length;
  const number = Math.min(asked, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const shows = entries.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE).map(toListedShow);
  const page: ShowPage = { year: YEAR, page: number, page_size: PAGE_SIZE, total, shows };
  const json = JSON.stringify(page);
  return { page, json, hash: digestOf(json) };
}
