import { orNull } from "./storage.ts";

const CHECK_KEY = "front-row-storage-check";

/** In UTF-16 code units: more than a session or a review takes. */
const CHECK_SIZE = 8_000;

/** Whether storage keeps a text of that length. Browsers may block it, lack it, or have no space. */
export function canStore(storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">): boolean {
  const stored = orNull(() => {
    storage().setItem(CHECK_KEY, "x".repeat(CHECK_SIZE));
    const text = storage().getItem(CHECK_KEY);
    storage().removeItem(CHECK_KEY);
    return text;
  });
  return stored?.length === CHECK_SIZE;
}
