import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { ListedShow, ShowPage } from "../domain/show.ts";
import { digestOf } from "../lib/hash.server.ts";

export interface SerializedPage {
  page: ShowPage;
  json: string;
  /** A digest of `json`, equal on every instance. */
  hash: string;
}

export interface PageEntry {
  show: ListedShow;
  json: string;
}

interface PageOptions<Entry> {
  requestedPage: number;
  entries: readonly Entry[];
  isMatch: (entry: Entry) => boolean;
  toPageEntry: (entry: Entry) => PageEntry;
}

export function createPage<Entry>({
  requestedPage,
  entries,
  isMatch,
  toPageEntry,
}: PageOptions<Entry>): SerializedPage {
  const total = count(entries, isMatch);
  const number = Math.min(requestedPage, Math.max(1, Math.ceil(total / PAGE_SIZE)));
  const shown = slice(entries, isMatch, (number - 1) * PAGE_SIZE).map(toPageEntry);
  const page: ShowPage = {
    year: YEAR,
    page: number,
    page_size: PAGE_SIZE,
    total,
    shows: shown.map(({ show }) => show),
  };
  // Joined from cached JSON: serialising twenty shows takes longer than the rest of a search.
  const head = JSON.stringify({ ...page, shows: [] }).slice(0, -"]}".length);
  const json = `${head}${shown.map(({ json }) => json).join(",")}]}`;
  return { page, json, hash: digestOf(json) };
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
