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

/** A show as it is on a page, and as JSON. */
export interface PageEntry {
  show: ListedShow;
  json: string;
}

/** Page number `asked` of the shows in `entries`, or the last page when there are fewer. */
export function createPage<Entry>(
  asked: number,
  entries: readonly Entry[],
  toPageEntry: (entry: Entry) => PageEntry,
): FoundPage {
  const total = entries.length;
  const number = Math.min(asked, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const shown = entries.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE).map(toPageEntry);
  const page: ShowPage = {
    year: YEAR,
    page: number,
    page_size: PAGE_SIZE,
    total,
    shows: shown.map(({ show }) => show),
  };
  // Put together from each show's JSON: to write twenty shows anew takes longer than all the rest of a search.
  const head = JSON.stringify({ ...page, shows: [] }).slice(0, -"]}".length);
  const json = `${head}${shown.map(({ json }) => json).join(",")}]}`;
  return { page, json, hash: digestOf(json) };
}
