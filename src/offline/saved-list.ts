import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import type { TalliesSince } from "./saving-client.ts";

/** A script of its own: with the search it is not small. The page that saves the list has loaded and saves it. */
export const loadSaving = () => import("./saving-client.ts");

/** Asked for once: on a phone the browser's answer takes longer than a search. */
let isSaved = false;

/** What was removed since may count as there. Blocked storage has nothing. */
export async function hasSavedList(): Promise<boolean> {
  try {
    isSaved ||= (await window.caches.match("/")) !== undefined;
  } catch {}
  return isSaved;
}

export async function findInSavedList(
  query: ShowQuery,
  talliesSince: TalliesSince,
): Promise<{ list: ShowPage; seenAt: number } | undefined> {
  if (!(await hasSavedList())) return undefined;
  try {
    return await (await loadSaving()).findSaved(query, talliesSince);
  } catch {
    // Its script was not saved, or the browser has thrown away a part.
  }
}
