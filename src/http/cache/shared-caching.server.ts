import type { Context, MiddlewareHandler } from "hono";

/** `no-transform`: a CDN that hides e-mail addresses or injects scripts would break hydration. */
const REVALIDATE = "max-age=0, no-transform";

/** In seconds. */
const SHARED = "s-maxage=1, stale-if-error=86400";

/** Shared caches keep a response for a moment, unless it is somebody's own (docs/freshness.md). */
export function cacheControlFor(c: Context): string {
  const isOwn = c.req.header("Authorization") !== undefined;
  return isOwn ? `private, ${REVALIDATE}` : `public, ${REVALIDATE}, ${SHARED}`;
}

export function vary(name: string): MiddlewareHandler {
  return async function addVary(c, next) {
    await next();
    c.res.headers.append("Vary", name);
  };
}
