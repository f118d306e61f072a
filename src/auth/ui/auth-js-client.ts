import { GoTrueClient } from "@supabase/auth-js";
import { createAuthFetch } from "./auth-fetch.ts";
import { SESSION_KEY } from "./session-store.ts";

/** auth-js's client, which can forget that a refresh failed. */
export class AuthClient extends GoTrueClient {
  /**
   * Makes the next use of an expired session refresh it. For a minute after a failed refresh auth-js only
   * repeats the failure, though the network may be back.
   */
  forgetRefreshFailure(): void {
    this.lastRefreshFailure = null;
  }
}

/**
 * Creates the auth-js client, which refreshes the session in the background from then on. This module is the
 * only import of auth-js, so that it can be loaded lazily.
 */
export function createAuthClient(clientKey: string): AuthClient {
  return new AuthClient({
    url: `${window.location.origin}/auth/v1`,
    headers: { apikey: clientKey },
    fetch: createAuthFetch(window.fetch),
    storageKey: SESSION_KEY,
    flowType: "pkce",
    persistSession: true,
    autoRefreshToken: true,
    // `return-client.ts` reads the URL before the router does.
    detectSessionInUrl: false,
    // Each sign-in keeps a verifier of its own, so that those of several tabs complete in any order.
    experimental: { appendPkceFlowIdToRedirects: true },
  });
}
