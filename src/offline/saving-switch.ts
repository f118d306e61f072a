import { orNull } from "../browser/storage.ts";

/** A key of local storage. Where that is blocked, nothing is saved anyway. */
const NOT_SAVED = "front-row-not-saved";

export function isSavingOff(): boolean {
  return orNull(() => localStorage.getItem(NOT_SAVED)) !== null;
}

export function turnSaving(isOn: boolean): void {
  orNull(() => (isOn ? localStorage.removeItem(NOT_SAVED) : localStorage.setItem(NOT_SAVED, "")));
}
