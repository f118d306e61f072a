/** The start of names in Cache Storage; the build follows. Such a cache has the list, the page and its files. */
export const SAVED = "front-row-saved";

/** A key of local storage. Where that is blocked, nothing is saved anyway. */
const NOT_SAVED = "front-row-not-saved";

export function isSavingOff(): boolean {
  try {
    return localStorage.getItem(NOT_SAVED) !== null;
  } catch {
    return false;
  }
}

export function turnSaving(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(NOT_SAVED);
    else localStorage.setItem(NOT_SAVED, "");
  } catch {}
}
