import { withTimeLimit } from "../../../browser/requests/api-request-client.ts";
import { hasMembers } from "../../../lib/has-members.ts";
import type { AccountEnd } from "../account-end-texts.ts";
import { isSession, type StoredSession } from "./session-store.ts";

/** Our server sends it with each error, as auth-js asks for it. A proxy or a captive portal does not. */
const VERSION_HEADER = "X-Supabase-Api-Version";

/** Error codes of a refresh after which the session is over, and perhaps the account. */
const endCodes = new Map<unknown, AccountEnd | null>([
  ["refresh_token_not_found", null],
  ["refresh_token_already_used", null],
  ["session_expired", null],
  ["session_not_found", null],
  ["user_banned", "banned"],
  ["user_not_found", "deleted"],
]);

/** In ms, before the single retry of an exchange. Within ten seconds the server repeats its response. */
const REPEAT_AFTER = 1_000;

export interface AuthFetchOptions {
  /** Returns an expired session, too. */
  storedSession: () => StoredSession | null;
  onAccountEnd: (end: AccountEnd, userId: string | undefined) => void;
}

/**
 * A `fetch` for auth-js that rejects unless the response is one of the auth protocol, and not a proxy's or a
 * captive portal's. auth-js retries after a rejection, but signs out after most error responses
 * (docs/product.md §6.12). A refresh carries the access token, which tells whose account has ended.
 */
export function createAuthFetch(
  fetch: typeof globalThis.fetch,
  { storedSession, onAccountEnd }: AuthFetchOptions,
): typeof fetch {
  return async (url, init) => {
    const isRefresh = String(url).includes("grant_type=refresh_token");
    if (!String(url).includes("grant_type=pkce")) return send(url, init, isRefresh);
    return send(url, init, false).catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER));
      return send(url, init, false);
    });
  };

  async function send(url: Parameters<typeof fetch>[0], init: RequestInit | undefined, isRefresh: boolean) {
    const headers = new Headers(init?.headers);
    const session = isRefresh ? storedSession() : null;
    if (session) headers.set("Authorization", `Bearer ${session.access_token}`);
    const response = await fetch(url, { ...init, headers, signal: withTimeLimit() });
    const body: unknown = await readJson(response.clone());
    if (isSuccess(response, body)) return isSession(body) ? countedFromNow(response, body) : response;
    if (isFinalError(response, body, isRefresh)) {
      const end = isRefresh && endCodes.get(codeOf(body));
      if (end) onAccountEnd(end, session?.user.id);
      return response;
    }
    throw new Error(`The sign-in service did not give a usable answer (status ${response.status})`);
  }
}

/** A sign-out has no content. Every other success has a session. */
function isSuccess({ ok, status }: Response, body: unknown): boolean {
  return ok && (status === 204 || isSession(body));
}

/**
 * Without `expires_at`, which a wrong clock of the device misreads, auth-js counts `expires_in` from now, by that
 * clock.
 */
function countedFromNow({ status, headers }: Response, session: StoredSession): Response {
  return new Response(JSON.stringify({ ...session, expires_at: undefined }), { status, headers });
}

/** Of a refresh, only that the session is over: auth-js would sign out after any other error. */
function isFinalError({ ok, headers }: Response, body: unknown, isRefresh: boolean): boolean {
  const code = codeOf(body);
  return !ok && typeof code === "string" && headers.has(VERSION_HEADER) && (!isRefresh || endCodes.has(code));
}

function codeOf(body: unknown): unknown {
  return hasMembers(body, "code") ? body.code : undefined;
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
