import { orNull } from "../../../browser/storage.ts";
import { hasMembers } from "../../../lib/has-members.ts";

/** Local storage key of the session. auth-js derives the keys of its other entries from it. */
export const SESSION_KEY = "front-row-session";

/** auth-js's error for transient failures, which do not end the session. */
export const RETRYABLE_ERROR = "AuthRetryableFetchError";

export interface StoredSession {
  access_token: string;
  refresh_token: string;
  user: User;
}

export interface User {
  id: string;
  email: string;
}

export type SessionState =
  /** In server-rendered HTML, which is the same for every visitor. */
  { status: "unknown" } | { status: "signed-out" } | { status: "signed-in"; user: User };

export const unknownSession: SessionState = { status: "unknown" };

/** Local storage key of the mark that somebody pressed Sign Out in this browser. */
export const SIGNED_OUT_KEY = "front-row-signed-out";

/** Reads local storage, so that all tabs agree. Storage that throws counts as signed out. */
export function createSessionStore(storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">) {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let state = parseSession(lastText);
  let lastUserId: string | undefined;

  /** The same object as long as the stored text is the same. */
  function current(): SessionState {
    const text = orNull(() => storage().getItem(SESSION_KEY));
    if (text !== lastText) state = parseSession(text);
    lastText = text;
    if (state.status === "signed-in") lastUserId = state.user.id;
    return state;
  }

  return {
    current,
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(): void {
      for (const listener of listeners) listener();
    },
    /** The user of the last session in this tab. */
    lastUserId(): string | undefined {
      current();
      return lastUserId;
    },
    isMarked: () => orNull(() => storage().getItem(SIGNED_OUT_KEY)) !== null,
    mark: () => orNull(() => storage().setItem(SIGNED_OUT_KEY, "1")),
    unmark: () => orNull(() => storage().removeItem(SIGNED_OUT_KEY)),
  };
}

export function isSession(value: unknown): value is StoredSession {
  return hasMembers(value, "access_token", "refresh_token", "user") && hasMembers(value.user, "id", "email");
}

/** Null unless it is a session with tokens and a user. */
export function readStored(text: string | null): StoredSession | null {
  const session = orNull((): unknown => JSON.parse(text ?? "null"));
  return isSession(session) ? session : null;
}

function parseSession(text: string | null): SessionState {
  const session = readStored(text);
  if (!session) return { status: "signed-out" };
  const { id, email } = session.user;
  return { status: "signed-in", user: { id, email } };
}
