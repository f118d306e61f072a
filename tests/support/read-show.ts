import type { ReadShow } from "../../src/shows/build-show-list.server.ts";
import type { ListedShow } from "../../src/shows/show.ts";

/** A show as it comes out of the database, where its tallies have never changed. */
export function readShow({ reviews, ...show }: ListedShow): ReadShow {
  const { id, title, artist, venue_name } = show;
  const json = JSON.stringify(show);
  return { id, title, artist, venue_name, json, ...(reviews && { reviews: { ...reviews, revision: 0 } }) };
}
