import { GoTrueClient } from "@supabase/auth-js";
import { orNull } from "../../../browser/storage.ts";
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
  /** Null if the session is over. @throws if it is not, but cannot be refreshed now */
  accessToken(): Promise<string | null> {
    return this.readToken(() => this.getSession());
  }

  renewedToken(): Promise<string | null> {
    return this.readToken(() => this.refreshSession());
  }

  private async readToken(readSession: () => Promise<SessionResponse>): Promise<string | null> {
    this.forgetRefreshFailure();
    let { data, error } = await readSession();
    if (error?.name === DISCARDED_ERROR) ({ data, error } = await this.getSession());
    if (data.session) return data.session.access_token;
    if (error && transientErrors.includes(error.name)) throw error;
    return null;
  }

  /** Ends a session other than the stored one. It stays if the server cannot be reached. */
  async endSession(refresh_token: string): Promise<void> {
    const headers = { ...this.headers, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ refresh_token }), keepalive: true };
    await this.fetch(`${this.url}/logout?scope=local`, init).catch(() => {});
  }

  /** For a minute after a failed refresh, auth-js repeats the failure even if the network works again. */
  forgetRefreshFailure(): void {
    this.lastRefreshFailure = null;
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
