import { GoTrueClient } from "@supabase/auth-js";
import { orNull } from "../../../browser/storage.ts";
import type { Provider } from "../../../domain/account.ts";
import type { Toast } from "../../../ui/toasts.ts";
import { accountEnded } from "../account-end-texts.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { RETRYABLE_ERROR, readStored, SESSION_KEY } from "./session-store.ts";

/** auth-js's error for a refresh during which another tab changed the session. */
const DISCARDED_ERROR = "AuthRefreshDiscardedError";

const transientErrors = [RETRYABLE_ERROR, DISCARDED_ERROR];

interface SessionResponse {
  data: { session: { access_token: string } | null };
  error: Error | null;
}

export class AuthClient extends GoTrueClient {
  async beginSignIn(provider: Provider, redirectTo: string, queryParams: Record<string, string>) {
    const options = { redirectTo, queryParams, skipBrowserRedirect: true };
    const { data, error } = await this.signInWithOAuth({ provider, options });
    if (error) throw error;
    return data;
  }

  async finishSignIn(code: string, attemptId: string | undefined): Promise<void> {
    const before = readStored(await this.storage.getItem(this.storageKey));
    const { error } = await this.exchangeCodeForSession(code, { flowId: attemptId });
    if (error) throw error;
    // Not in the exchange: requests of the old session are in flight, and the response may be lost.
    const headers = { ...this.headers, "Content-Type": "application/json" };
    const body = JSON.stringify({ refresh_token: before?.refresh_token });
    const init = { method: "POST", headers, body, keepalive: true };
    if (before) void this.fetch(`${this.url}/logout?scope=local`, init).catch(() => {});
  }

  /** @throws if the server cannot be reached; the session stays */
  async signOutEverywhere(): Promise<void> {
    this.lastRefreshFailure = null;
    const { error } = await this.signOut();
    if (error) throw error;
  }

  /** Null if the session is over. @throws if it is not, but cannot be refreshed now */
  accessToken(): Promise<string | null> {
    return this.readToken(() => this.getSession());
  }

  /** Null, and signed out, if the refresh is refused. @throws if the server cannot be reached now */
  async renewToken(): Promise<string | null> {
    const token = await this.readToken(() => this.refreshSession());
    if (token === null) await this.signOut({ scope: "local" });
    return token;
  }

  private async readToken(readSession: () => Promise<SessionResponse>): Promise<string | null> {
    // For a minute after a failed refresh, auth-js repeats the failure even if the network works again.
    this.lastRefreshFailure = null;
    let { data, error } = await readSession();
    if (error?.name === DISCARDED_ERROR) ({ data, error } = await this.getSession());
    if (data.session) return data.session.access_token;
    if (error && transientErrors.includes(error.name)) throw error;
    return null;
  }
}

/** Called with the toast that says how the account has ended, before auth-js removes the session. */
export type OnAccountEnd = (toast: Toast, userId: string | undefined) => void;

/** The client refreshes the session in the background. Only this module imports auth-js, which loads lazily. */
export function createAuthClient(
  clientKey: string,
  operatorEmail: string | null,
  onAccountEnd: OnAccountEnd,
): AuthClient {
  return new AuthClient({
    url: `${window.location.origin}/auth/v1`,
    headers: { apikey: clientKey },
    fetch: createAuthFetch(window.fetch, {
      storedSession: () => readStored(orNull(() => window.localStorage.getItem(SESSION_KEY))),
      onAccountEnd: (end, userId) => onAccountEnd(accountEnded(end, operatorEmail), userId),
    }),
    storageKey: SESSION_KEY,
    flowType: "pkce",
    persistSession: true,
    autoRefreshToken: true,
    // `keepOAuthCallback` has cleaned the URL.
    detectSessionInUrl: false,
    // Each attempt has its own verifier, so that attempts of several tabs can finish in any order.
    experimental: { appendPkceFlowIdToRedirects: true },
  });
}
