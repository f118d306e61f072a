import type { Context, MiddlewareHandler } from "hono";

/**
 * Browsers revalidate each time: without `must-revalidate`, `STALE` would hold for them too. A CDN that hides
 * e-mail addresses or injects scripts would make React render the page anew.
 */
const REVALIDATE = "max-age=0, must-revalidate, no-transform";

/** What shared caches (proxies, CDNs) may serve once their copy is stale, in seconds. */
const STALE = "stale-while-revalidate=10, stale-if-error=86400";

/** How long a response is fresh in a shared cache, in seconds. */
const SHARED_MAX_AGE = 1;

/**
 * The headers that say who may keep a response: browsers, which revalidate it each time, and shared caches
 * for a moment, unless the request was somebody's own (docs/product.md §9.8).
 *
 * `CDN-Cache-Control` (RFC 9213) is for caches that obey `must-revalidate` and would serve nothing stale.
 */
export function cachingHeaders(c: Context, isShared: boolean): Record<string, string> {
  if (!isShared || c.req.header("Authorization") !== undefined)
    return { "Cache-Control": `private, ${REVALIDATE}` };
  return {
    "Cache-Control": `public, ${REVALIDATE}, s-maxage=${SHARED_MAX_AGE}, ${STALE}`,
    "CDN-Cache-Control": `max-age=${SHARED_MAX_AGE}, ${STALE}`,
  };
}

/** Takes back what allows shared caches to keep a response. */
export function forbidSharing({ headers }: Response): void {
  headers.set("Cache-Control", "no-store");
  headers.delete("CDN-Cache-Control");
}

/** Adds a request header that the response depends on. */
export function vary(name: string): MiddlewareHandler {
  return async function addVary(c, next) {
    await next();
    c.res.headers.append("Vary", name);
  };
}
