import { GoTrueClient } from "@supabase/auth-js";
import { SESSION_KEY } from "./session-store.ts";

/**
 * Creates the auth-js client, which refreshes the session in the background from then on. This module is the
 * only import of auth-js, so that it can be loaded lazily.
 */
export function createAuthClient(clientKey: string): GoTrueClient {
  return new GoTrueClient({
    url: `${window.location.origin}/auth/v1`,
    headers: { apikey: clientKey },
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
