import type { Context, MiddlewareHandler } from "hono";

/** `no-transform`: a CDN that rewrites HTML would break hydration. */
const REVALIDATE = "max-age=0, no-transform";

/** In seconds. */
const SHARED = "s-maxage=1, stale-if-error=86400";

/** Shared caches keep public responses for a moment (docs/freshness.md). */
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
