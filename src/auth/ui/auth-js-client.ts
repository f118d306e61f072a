import { GoTrueClient } from "@supabase/auth-js";
import { SESSION_KEY } from "./session-store.ts";

/** Everything of auth-js in one file, which is loaded when it is needed. From here on it keeps the session fresh. */
export function createAuthClient(clientKey: string): GoTrueClient {
  return new GoTrueClient({
    url: `${window.location.origin}/auth/v1`,
    headers: { apikey: clientKey },
    storageKey: SESSION_KEY,
    flowType: "pkce",
    persistSession: true,
    autoRefreshToken: true,
    // The page reads its address itself, before anything else does.
    detectSessionInUrl: false,
  });
}
