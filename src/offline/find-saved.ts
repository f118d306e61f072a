import type { ShowQuery } from "../domain/show-query.ts";
import type { TalliesSince } from "./saving-client.ts";

/** A separate script, because it includes the search. A page that saves the list saves this script, too. */
export const loadSaving = () => import("./saving-client.ts");

/** Remembered once it is true: on a phone the browser's answer takes longer than a search. */
let isSaved = false;

/** May stay true after the list was removed. */
export async function hasSavedList(): Promise<boolean> {
  isSaved ||= await isPageSaved("/");
  return isSaved;
}

/** False if storage is blocked. */
export async function isPageSaved(path: string): Promise<boolean> {
  try {
    return (await window.caches.match(path)) !== undefined;
  } catch {
    return false;
  }
}

export async function findInSavedList(query: ShowQuery, talliesSince: TalliesSince) {
  if (!(await hasSavedList())) return undefined;
  try {
    return await (await loadSaving()).findSaved(query, talliesSince);
  } catch {
    // The script was not saved, or the browser has deleted a part of the list.
  }
}
