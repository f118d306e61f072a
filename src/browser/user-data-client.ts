import { orNull } from "./storage.ts";

const starts = {
  draft: "front-row-draft",
  waiting: "front-row-waiting",
  "waiting-until": "front-row-waiting-until",
};

/** The start of the storage keys for a user's data. The rest says what it is about. */
export function userKey(kind: keyof typeof starts, userId: string): string {
  return `${starts[kind]} ${userId} `;
}

/** From the storage of this browser and of this tab (docs/product.md §14.8). */
export function discardUserData(userId: string): void {
  for (const storage of ["localStorage", "sessionStorage"] as const)
    orNull(() => {
      const keys = Object.keys(window[storage]).filter((key) => key.split(" ")[1] === userId);
      for (const key of keys) window[storage].removeItem(key);
    });
  tellThisTab();
}

/** Browsers send the event to the other tabs only. */
export function tellThisTab(): void {
  window.dispatchEvent(new Event("storage"));
}
