import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { ListedShow, ShowPage } from "../domain/show.ts";
import { digestOf } from "../lib/hash.server.ts";

export interface PageEntry {
  show: ListedShow;
  json: string;
}

/** `hash` is a digest of `json`, equal on every instance. */
export function createPage({ page: number, total }: Pick<ShowPage, "page" | "total">, shown: PageEntry[]) {
  const page: ShowPage = {
    year: YEAR,
    page: number,
    page_size: PAGE_SIZE,
    total,
    shows: shown.map(({ show }) => show),
  };
  // From cached JSON: serialising twenty shows takes longer than the rest of a search.
  const head = JSON.stringify({ ...page, shows: [] }).slice(0, -"]}".length);
  const json = `${head}${shown.map(({ json }) => json).join(",")}]}`;
  return { page, json, hash: digestOf(json) };
}
