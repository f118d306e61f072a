/** In Cache Storage, with the build behind it: the documents of the list, the page and the files of the build. */
export const SAVED = "front-row-saved";

/** In local storage, which remembers nothing where it is blocked: nothing is saved there either. */
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
