import type { MiddlewareHandler } from "hono";

/** Keeps a page's address, which may carry a code, from whatever the browser goes to next. Stands outside the general headers. */
export const sendNoReferrer: MiddlewareHandler = async function sendNoReferrer(c, next) {
  await next();
  c.header("Referrer-Policy", "no-referrer");
};
