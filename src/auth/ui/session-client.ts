import type { GoTrueClient } from "@supabase/auth-js";
import type { Provider } from "../session.ts";
import { createSessionStore, SESSION_KEY, type SessionStore } from "./session-store.ts";

interface SessionClientOptions {
  /** Local storage; asking for it may throw. */
  storage: () => Pick<Storage, "getItem">;
  /** Brings auth-js; called when it is first needed, and again after a failure. */
  loadAuth: () => Promise<GoTrueClient>;
  reportError: (what: string, error: unknown) => void;
}

/** Signing in and out, and who is signed in, for the whole open page. */
export interface SessionClient extends Pick<SessionStore, "current" | "subscribe"> {
  /** Follows changes made in other tabs and keeps a session fresh, until the returned function is called. */
  watch(page: EventTarget): () => void;
  /** Leaves for the provider, who sends the browser back to `redirectTo`. @throws when that is not possible */
  signIn(provider: Provider, redirectTo: string): Promise<void>;
  /** Exchanges the code that the browser came back with for a session. @throws when that fails; a session stays */
  finishSignIn(code: string): Promise<void>;
  /** Ends all sessions of the user. @throws when the server could not be told; the session stays */
  signOut(): Promise<void>;
  /** What shows the server who asks, refreshed if need be; null when nobody is signed in. @throws when it cannot be refreshed now */
  accessToken(): Promise<string | null>;
  /**
   * Another access token after the server refused one; null when it refuses that too, and the session is forgotten.
   * @throws when the server cannot be asked now; the session stays
   */
  renewToken(): Promise<string | null>;
}

/** What auth-js calls a failure that says nothing about the session. */
const TRY_AGAIN = "AuthRetryableFetchError";

/** A session's refreshing is auth-js's business; it is loaded where there is a session, or where one is to be had. */
export function createSessionClient({ storage, loadAuth, reportError }: SessionClientOptions): SessionClient {
  const { current, subscribe, notify } = createSessionStore(storage);
  let loading: Promise<GoTrueClient> | null = null;

  function auth(): Promise<GoTrueClient> {
    loading ??= loadAuth().then(
      (loaded) => {
        // Events come several times and from several places; what is stored is what counts.
        loaded.onAuthStateChange(follow);
        return loaded;
      },
      (error) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  }

  function follow(): void {
    notify();
    if (current().status === "signed-in") {
      auth().catch((error) => reportError("The session cannot be kept fresh:", error));
    }
  }

  return {
    current,
    subscribe,
    watch: (page) => followPage(page, follow),
    async signIn(provider, redirectTo) {
      const { error } = await (await auth()).signInWithOAuth({ provider, options: { redirectTo } });
      if (error) throw error;
    },
    async finishSignIn(code) {
      const { error } = await (await auth()).exchangeCodeForSession(code);
      if (error) throw error;
    },
    async signOut() {
      const { error } = await (await auth()).signOut();
      if (error) throw error;
    },
    async accessToken() {
      if (current().status !== "signed-in") return null;
      const { data, error } = await (await auth()).getSession();
      if (data.session) return data.session.access_token;
      if (error?.name === TRY_AGAIN) throw error;
      return null;
    },
    async renewToken() {
      const { data, error } = await (await auth()).refreshSession();
      if (data.session) return data.session.access_token;
      if (error?.name === TRY_AGAIN) throw error;
      await (await auth()).signOut({ scope: "local" });
      return null;
    },
  };
}

/** Calls back now, when another tab has changed the session, and when the page comes back from the browser's cache. */
function followPage(page: EventTarget, follow: () => void): () => void {
  function onStorage(event: Event): void {
    const key = "key" in event ? event.key : null;
    if (key === SESSION_KEY || key === null) follow();
  }
  page.addEventListener("storage", onStorage);
  page.addEventListener("pageshow", follow);
  follow();
  return () => {
    page.removeEventListener("storage", onStorage);
    page.removeEventListener("pageshow", follow);
  };
}
