import type { MiddlewareHandler } from "hono";
import { HttpError } from "../../http/requests/errors.server.ts";

/** Headers by which browsers mark speculative requests. */
const purposeHeaders = ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"];

/**
 * Refuses prefetches, prerendering and previews: they must neither begin nor finish a sign-in. The browser
 * then sends the request again when somebody follows the link.
 */
export const refusePrefetch: MiddlewareHandler = async function refusePrefetch(c, next) {
  if (
    purposeHeaders.some((name) => /\b(prefetch|prerender|preview|instant)\b/i.test(c.req.header(name) ?? ""))
  )
    throw new HttpError(403, "prefetch_refused", "A step of signing in cannot be fetched in advance.");
  await next();
};
