import * as z from "zod/mini";

/** Where the browser keeps the session, in local storage; auth-js derives the names of its other entries from it. */
export const SESSION_KEY = "front-row-session";

/** What is read of the session that auth-js stores. The user is as the provider named them (docs/product.md §6.11). */
const storedSession = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  user: z.object({ id: z.string(), email: z.string() }),
});

export type User = z.infer<typeof storedSession>["user"];

export type SessionState =
  /** As the page was rendered: once, for everybody. */
  { status: "unknown" } | { status: "signed-out" } | { status: "signed-in"; user: User };

export const unknownSession: SessionState = { status: "unknown" };

/** Who is signed in, in the shape that `useSyncExternalStore` asks for. */
export interface SessionStore {
  /** What local storage says at this moment; the same object for as long as it says the same. */
  current(): SessionState;
  subscribe(listener: () => void): () => void;
  /** Tells the listeners to look again. */
  notify(): void;
}

/** Keeps nothing of its own: tabs agree because they all read the same entry. Storage that throws holds no session. */
export function createSessionStore(storage: () => Pick<Storage, "getItem">): SessionStore {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let state = readSession(lastText);

  return {
    current() {
      const text = read(storage);
      if (text !== lastText) state = readSession(text);
      lastText = text;
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify() {
      for (const listener of listeners) listener();
    },
  };
}

function read(storage: () => Pick<Storage, "getItem">): string | null {
  try {
    return storage().getItem(SESSION_KEY);
  } catch {
    return null;
  }
}

/** Anything but a session with its tokens and its user counts as none. */
function readSession(text: string | null): SessionState {
  const { data } = storedSession.safeParse(parse(text));
  return data ? { status: "signed-in", user: data.user } : { status: "signed-out" };
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
