import { orNull } from "../../../browser/storage.ts";
import { type Provider, REAUTHENTICATION_SECONDS } from "../../../domain/account.ts";
import type { Toast } from "../../../ui/toasts.ts";
import type { AuthClient, OnAccountEnd } from "./auth-js-client.ts";
import { createSessionStore, readStored, SESSION_KEY } from "./session-store.ts";

const SIGNED_OUT_KEY = "front-row-signed-out";

interface SessionClientOptions {
  /** Returns local storage, or throws if the browser blocks it. */
  storage: () => Pick<Storage, "getItem" | "setItem" | "removeItem">;
  loadAuth: (onAccountEnd: OnAccountEnd) => Promise<AuthClient>;
  discardUserData: (userId: string) => void;
}

export type SessionClient = ReturnType<typeof createSessionClient>;

export function createSessionClient({ storage, loadAuth, discardUserData }: SessionClientOptions) {
  const { current, subscribe, notify } = createSessionStore(storage);
  let loading: Promise<AuthClient> | null = null;
  let endToast: Toast | null = null;
  let finishing: Promise<void> | undefined;
  /** The user of the last session in this tab. */
  let lastUserId: string | undefined;

  function auth(): Promise<AuthClient> {
    loading ??= loadAuth((toast, userId) => {
      leave(userId);
      endToast = toast;
    }).then(
      (loaded) => {
        // Events may repeat and may come from other tabs, so only local storage is read.
        loaded.onAuthStateChange(syncSession);
        return loaded;
      },
      (error) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  }

  function syncSession(): void {
    notify();
    if (current().status === "signed-in") {
      lastUserId = currentUserId();
      endToast = null;
      auth().catch((error) => console.error("The session cannot be refreshed:", error));
    }
  }

  async function exchangeCode(code: string, attemptId?: string): Promise<void> {
    const client = await auth();
    const before = readStored(orNull(() => storage().getItem(SESSION_KEY)));
    const { error } = await client.exchangeCodeForSession(code, { flowId: attemptId });
    if (error) throw error;
    orNull(() => storage().removeItem(SIGNED_OUT_KEY));
    // Not in the exchange: requests of the old session are in flight, and the response may be lost.
    if (before) void client.endSession(before.refresh_token);
  }

  function isSignedOut(): boolean {
    return Boolean(orNull(() => storage().getItem(SIGNED_OUT_KEY)));
  }

  function currentUserId(): string | undefined {
    const state = current();
    return state.status === "signed-in" ? state.user.id : lastUserId;
  }

  /** Other tabs follow when they see the mark. */
  function leave(userId: string | undefined): void {
    if (userId) discardUserData(userId);
    orNull(() => storage().setItem(SIGNED_OUT_KEY, "1"));
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
        else if (key === SIGNED_OUT_KEY && lastUserId && isSignedOut()) discardUserData(lastUserId);
      };
      page.addEventListener("storage", onStorage, { signal });
      page.addEventListener("pageshow", syncSession, { signal });
      syncSession();
      return () => stop.abort();
    },
    /** `isProof`: the provider must authenticate the user again. @throws if it cannot start */
    async beginSignIn(provider: Provider, redirectTo: string, isProof = false) {
      // Makes the provider ask which account to use (docs/product.md §6.15).
      const queryParams: Record<string, string> = isSignedOut() ? { prompt: "select_account" } : {};
      if (isProof) queryParams.max_age = String(REAUTHENTICATION_SECONDS);
      const options = { redirectTo, queryParams, skipBrowserRedirect: true };
      const { data, error } = await (await auth()).signInWithOAuth({ provider, options });
      if (error) throw error;
      return data;
    },
    /** Without `attemptId`, the latest verifier is used. An existing session survives a failure. @throws */
    finishSignIn(code: string, attemptId?: string): Promise<void> {
      finishing = exchangeCode(code, attemptId);
      return finishing;
    },
    /** Ends all sessions of the user. @throws if the server cannot be reached; the session stays */
    async signOut(): Promise<void> {
      const client = await auth();
      client.forgetRefreshFailure();
      const leaving = currentUserId();
      const { error } = await client.signOut();
      if (error) throw error;
      leave(leaving);
    },
    /** Ends the session in this browser, after the server has ended it. @throws if auth-js cannot be loaded */
    async forget(): Promise<void> {
      await (await auth()).signOut({ scope: "local" });
      orNull(() => storage().setItem(SIGNED_OUT_KEY, "1"));
    },
    /** Refreshed if it has expired; null without a session. @throws if it cannot be refreshed now */
    async accessToken(): Promise<string | null> {
      // A sign-in that is in progress replaces the session.
      await finishing?.catch(() => {});
      return current().status === "signed-in" ? (await auth()).accessToken() : null;
    },
    /** Null, and signed out here, if the refresh is refused. @throws if the server cannot be reached now */
    async renewToken(): Promise<string | null> {
      const client = await auth();
      const token = await client.renewedToken();
      if (token === null) await client.signOut({ scope: "local" });
      return token;
    },
  };
}
