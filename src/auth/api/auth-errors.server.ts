import type { Context, MiddlewareHandler } from "hono";
import type { HttpError } from "../../http/requests/errors.server.ts";

const VERSION_HEADER = "X-Supabase-Api-Version";

/** The first version of the protocol in which an error's `code` is text. */
const TEXT_CODES_SINCE = "2024-01-01";

/** Applies to all of the auth protocol except the public keys. */
export const noStore: MiddlewareHandler = async function noStore(c, next) {
  c.header("Cache-Control", "no-store");
  await next();
};

/** Uses the format of the requested protocol version; without a version, the older format. */
export function sendAuthError(c: Context, { status, code, message, retryAfter }: HttpError): Response {
  const version = c.req.header(VERSION_HEADER) ?? "";
  const hasTextCode = /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= TEXT_CODES_SINCE;
  c.header("Cache-Control", "no-store");
  if (retryAfter !== undefined) c.header("Retry-After", String(retryAfter));
  if (!hasTextCode) return c.json({ code: status, error_code: code, msg: message }, status);
  c.header(VERSION_HEADER, version);
  return c.json({ code, message }, status);
}
