import type { FoundList } from "../shows/found-list.ts";
import type { Site } from "./site.tsx";

/** What the server rendered a page with, as JSON in the page: hydration needs the same. */
export interface PageData {
  site: Site;
  /** React Router's: by the id of the route. */
  loaderData: { list?: FoundList };
}

export const PAGE_DATA = "page-data";
