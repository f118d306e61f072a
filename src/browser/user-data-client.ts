import { attempt } from "./attempt.ts";

/** The start of the storage keys of what is kept for a user; each goes on with what it is about. */
export function userKey(kind: "draft" | "waiting" | "waiting-until", userId: string): string {
  return `front-row-${kind} ${userId} `;
}

/** Of this browser and of this tab (docs/product.md §14.8). */
export function discardUserData(userId: string): void {
  for (const storage of ["localStorage", "sessionStorage"] as const)
    attempt(() => {
      const keys = Object.keys(window[storage]).filter((key) => key.split(" ")[1] === userId);
      for (const key of keys) window[storage].removeItem(key);
    });
  tellThisTab();
}

/** Browsers tell the other tabs. */
export function tellThisTab(): void {
  window.dispatchEvent(new Event("storage"));
}
