import type { ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { SAVED } from "./saving-switch.ts";

/** A script of its own: with the search it is not small. The page that saves the list has loaded and saves it. */
export const loadSaving = () => import("./saving-client.ts");

/** What the list is asked for while there may be no signal. Blocked storage has nothing. */
export async function hasSavedList(): Promise<boolean> {
  try {
    return await window.caches.has(SAVED);
  } catch {
    return false;
  }
}

export async function findInSavedList(
  query: ShowQuery,
): Promise<{ list: ShowPage; seenAt: number } | undefined> {
  if (!(await hasSavedList())) return undefined;
  try {
    return await (await loadSaving()).findSaved(query);
  } catch {
    // Its script was not saved, or the browser has thrown away a part.
  }
}
