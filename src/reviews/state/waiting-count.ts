import { useSyncExternalStore } from "react";
import { orNull } from "../../browser/storage.ts";
import { userKey } from "../../browser/user-data-client.ts";

/** The local storage keys of a user's waiting reviews; null: of all users. */
export function waitingKeys(userId: string | null): string[] {
  const start = userId === null ? "front-row-waiting " : userKey("waiting", userId);
  return orNull(() => Object.keys(window.localStorage).filter((key) => key.startsWith(start))) ?? [];
}

/** Null counts the reviews of all users whose session has ended. */
export function useWaitingCount(userId: string | null): number {
  return useSyncExternalStore(
    subscribeToWaiting,
    () => waitingKeys(userId).length,
    () => 0,
  );
}

export function subscribeToWaiting(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}
