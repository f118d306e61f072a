import { type Provider, REAUTHENTICATION_SECONDS } from "../../../domain/account.ts";
import type { Toast } from "../../../ui/toasts.ts";
import type { AuthClient, OnAccountEnd } from "./auth-js-client.ts";
import { createSessionStore, SESSION_KEY, SIGNED_OUT_KEY } from "./session-store.ts";

interface SessionClientOptions {
  /** Returns local storage, or throws if the browser blocks it. */
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">;
  loadAuth: (onAccountEnd: OnAccountEnd) => Promise<AuthClient>;
  discardUserData: (userId: string) => void;
}

export type SessionClient = ReturnType<typeof createSessionClient>;

export function createSessionClient({ storage, loadAuth, discardUserData }: SessionClientOptions) {
  const store = createSessionStore(storage);
  const { current, subscribe } = store;
  let endToast: Toast | null = null;
  let finishing: Promise<void> | undefined;

  const auth = loadOnce(async () => {
    const client = await loadAuth((toast, userId) => {
      leave(userId);
      endToast = toast;
    });
    // Events may repeat and may come from other tabs, so only local storage is read.
    client.onAuthStateChange(syncSession);
    return client;
  });

  function syncSession(): void {
    store.notify();
    if (current().status !== "signed-in") return;
    endToast = null;
    auth().catch((error) => console.error("The session cannot be refreshed:", error));
  }

  /** Other tabs follow when they see the mark. */
  function leave(userId = store.lastUserId()): void {
    if (userId) discardUserData(userId);
    store.mark();
  }

  async function exchangeCode(code: string, attemptId?: string): Promise<void> {
    await (await auth()).finishSignIn(code, attemptId);
    store.unmark();
  }

  return {
    current,
    subscribe,
    endToast: () => (current().status === "signed-in" ? null : endToast),
    /** Follows changes by other tabs and keeps the session refreshed. Returns a function that stops it. */
    watch(page: EventTarget): () => void {
      const stop = new AbortController();
      const { signal } = stop;
      const onStorage = ({ key = null }: Partial<StorageEvent>) => {
        if (key === SESSION_KEY || key === null) syncSession();
        // Another tab has signed out. A frozen tab gets the event late, when a user may be signed in again.
        else if (key === SIGNED_OUT_KEY && store.isMarked()) leave();
      };
      page.addEventListener("storage", onStorage, { signal });
      page.addEventListener("pageshow", syncSession, { signal });
      syncSession();
      return () => stop.abort();
    },
    /** `isProof`: the provider must authenticate the user again. @throws if it cannot start */
    async beginSignIn(provider: Provider, redirectTo: string, isProof = false) {
      // Makes the provider ask which account to use (docs/product.md §6.15).
      const prompt = store.isMarked() && { prompt: "select_account" };
      const proof = isProof && { max_age: String(REAUTHENTICATION_SECONDS) };
      return (await auth()).beginSignIn(provider, redirectTo, { ...prompt, ...proof });
    },
    /** Without `attemptId`, the latest verifier is used. An existing session survives a failure. @throws */
    finishSignIn(code: string, attemptId?: string): Promise<void> {
      finishing = exchangeCode(code, attemptId);
      return finishing;
    },
    /** Ends all sessions of the user. @throws if the server cannot be reached; the session stays */
    async signOut(): Promise<void> {
      await (await auth()).signOutEverywhere();
      leave();
    },
    /** Ends the session in this browser, after the server has ended it. @throws if auth-js cannot be loaded */
    async forget(): Promise<void> {
      await (await auth()).signOut({ scope: "local" });
      leave();
    },
    /** Refreshed if it has expired; null without a session. @throws if it cannot be refreshed now */
    async accessToken(): Promise<string | null> {
      // A sign-in that is in progress replaces the session.
      await finishing?.catch(() => {});
      return current().status === "signed-in" ? (await auth()).accessToken() : null;
    },
    /** Null, and signed out here, if the refresh is refused. @throws if the server cannot be reached now */
    renewToken: async (): Promise<string | null> => (await auth()).renewToken(),
  };
}

/** A failure is not kept. */
function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
