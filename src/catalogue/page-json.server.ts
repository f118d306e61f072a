import { type ListedShow, PAGE_SIZE, type ShowPage, YEAR } from "../domain/show.ts";
import { digestOf } from "../lib/hash.server.ts";

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

interface PageOptions<Entry> {
  /** From 1. Past the end it is the last page. */
  asked: number;
  entries: readonly Entry[];
  /** Which of the entries are in the list; all unless given. */
  isListed?: ((entry: Entry) => boolean) | undefined;
  toPageEntry: (entry: Entry) => PageEntry;
}

export function createPage<Entry>({ asked, entries, isListed, toPageEntry }: PageOptions<Entry>): FoundPage {
  const total = isListed ? count(entries, isListed) : entries.length;
  const number = Math.min(asked, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const from = (number - 1) * PAGE_SIZE;
  const shown = (isListed ? slice(entries, isListed, from) : entries.slice(from, from + PAGE_SIZE)).map(toPageEntry);
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

/** Without an array of all that match: each would have the size that V8 leaves to its rare, major collections. */
function count<Entry>(entries: readonly Entry[], isListed: (entry: Entry) => boolean): number {
  let matches = 0;
  for (const entry of entries) if (isListed(entry)) matches++;
  return matches;
}

/** One page of the entries that match, without the first `skip` of them. */
function slice<Entry>(entries: readonly Entry[], isListed: (entry: Entry) => boolean, skip: number): Entry[] {
  const page: Entry[] = [];
  let matches = 0;
  for (const entry of entries) {
    if (!isListed(entry) || matches++ < skip) continue;
    page.push(entry);
    if (page.length === PAGE_SIZE) break;
  }
  return page;
}
