import type { Context, MiddlewareHandler } from "hono";
import type { HttpError } from "../../http/requests/errors.server.ts";

const VERSION_HEADER = "X-Supabase-Api-Version";

/** The first version of the protocol in which `code` is a word. */
const WORDS_SINCE = "2024-01-01";

/** The version that a request asks for, where it is one in which errors have words. */
function versionOf(c: Context): string | undefined {
  const version = c.req.header(VERSION_HEADER);
  return version && /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= WORDS_SINCE ? version : undefined;
}

/** Everything of the auth protocol but its keys is the caller's alone: nothing on the way keeps it. */
export const noStore: MiddlewareHandler = async function noStore(c, next) {
  c.header("Cache-Control", "no-store");
  await next();
};

/** An error in the form that the request's protocol version has: the one of clients, or without a version that of navigations. */
export function sendAuthError(c: Context, { status, code, message, retryAfter }: HttpError): Response {
  const version = versionOf(c);
  c.header("Cache-Control", "no-store");
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (!version) return c.json({ code: status, error_code: code, msg: message }, status);
  c.header(VERSION_HEADER, version);
  return c.json({ code, message }, status);
}
