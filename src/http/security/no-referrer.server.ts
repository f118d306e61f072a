import type { MiddlewareHandler } from "hono";

/**
 * Hides the URL, which may carry a sign-in code, from the next site. Wraps the general headers, whose policy
 * is weaker.
 */
export const sendNoReferrer: MiddlewareHandler = async function sendNoReferrer(c, next) {
  await next();
  c.header("Referrer-Policy", "no-referrer");
};
