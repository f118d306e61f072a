import { withTimeLimit } from "../../ui/time-limit-client.ts";
import { isSession } from "./session-store.ts";

/** Our server sends it with each error; what answers in its place, such as a proxy, does not. */
const VERSION_HEADER = "X-Supabase-Api-Version";

/** The error codes of a refresh that mean that the session is over. */
const overCodes = new Set([
  "refresh_token_not_found",
  "refresh_token_already_used",
  "session_expired",
  "session_not_found",
  "user_banned",
  "user_not_found",
]);

/**
 * A `fetch` for auth-js that rejects where no response of the auth protocol came: a captive portal's page, a
 * proxy's error, half a body, nothing in time. auth-js retries after a rejection, but signs out after most error
 * responses (docs/product.md §6.12).
 */
export function createAuthFetch(fetch: typeof globalThis.fetch): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, { ...init, signal: withTimeLimit() });
    const body: unknown = await readJson(response.clone());
    const isRefresh = String(url).includes("grant_type=refresh_token");
    if (isSuccess(response, body) || isProtocolError(response, body, isRefresh)) return response;
    throw new Error(
      `The sign-in service was not reached: a response with status ${response.status} is not its own`,
    );
  };
}

/** Signing out has no content; everything else gets a session. */
function isSuccess({ ok, status }: Response, body: unknown): boolean {
  return ok && (status === 204 || isSession(body));
}

function isProtocolError({ ok, headers }: Response, body: unknown, isRefresh: boolean): boolean {
  const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;
  return (
    !ok && typeof code === "string" && headers.has(VERSION_HEADER) && (!isRefresh || overCodes.has(code))
  );
}

/** @throws if the connection breaks */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
