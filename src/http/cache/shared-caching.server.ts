import type { Context, MiddlewareHandler } from "hono";

/**
 * Browsers revalidate each time. A CDN that hides e-mail addresses or injects scripts would make React render
 * the page anew.
 */
const REVALIDATE = "max-age=0, no-transform";

/** For how many seconds a copy is fresh in a shared cache, and for how many it may stand in for an error. */
const SHARED = "s-maxage=1, stale-if-error=86400";

/**
 * Who may keep a response: browsers, and shared caches (proxies, CDNs) for a moment, unless the request was
 * somebody's own (docs/freshness.md).
 */
export function cacheControlFor(c: Context): string {
  const isOwn = c.req.header("Authorization") !== undefined;
  return isOwn ? `private, ${REVALIDATE}` : `public, ${REVALIDATE}, ${SHARED}`;
}

/** Adds a request header that the response depends on. */
export function vary(name: string): MiddlewareHandler {
  return async function addVary(c, next) {
    await next();
    c.res.headers.append("Vary", name);
  };
}
