const CHECK_KEY = "front-row-storage-check";

/** In UTF-16 code units: more than a session takes. */
const CHECK_SIZE = 8_000;

/**
 * Whether a storage keeps a text as long as a session. Browsers block storage, leave it out, or fill it up.
 */
export function canStore(storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">): boolean {
  try {
    storage().setItem(CHECK_KEY, "x".repeat(CHECK_SIZE));
    const isStored = storage().getItem(CHECK_KEY)?.length === CHECK_SIZE;
    storage().removeItem(CHECK_KEY);
    return isStored;
  } catch {
    return false;
  }
}
