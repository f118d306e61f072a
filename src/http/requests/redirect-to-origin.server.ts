import type { MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { forbidSharing } from "../cache/shared-caching.server.ts";

interface RedirectOptions {
  /** Scheme, host and port that visitors use. */
  origin: string;
  log: Logger;
}

/** How soon, in ms, a redirected browser is back at the latest if a proxy hides from us that it is there. */
const LOOP_WINDOW = 3_000;

/**
 * Redirects pages of any other host, such as `www.` or an IP address, to the origin (docs/product.md §1.4):
 * what the browser stores for a sign-in would stay behind under that host.
 *
 * A request that was just redirected gets its page. Its browser is at the origin then, and a proxy has
 * replaced the `Host` header, which would redirect it for ever.
 */
export function redirectToOrigin({ origin, log }: RedirectOptions): MiddlewareHandler {
  const site = new URL(origin);
  const redirected = new LRUCache<string, true>({ max: 10_000, ttl: LOOP_WINDOW });
  let hasWarned = false;

  return async function redirectOtherHosts(c, next) {
    const host = c.req.header("Host");
    if (!host || isSameHost(site, host)) return next();
    const { pathname, search } = new URL(c.req.url);
    const client = c.req.header("X-Forwarded-For") ?? c.env.incoming.socket.remoteAddress;
    const request = [c.req.method, host, client, pathname, search].join(" ");
    if (!redirected.delete(request)) {
      redirected.set(request, true);
      return c.body(null, 302, { Location: origin + pathname + search, "Cache-Control": "no-store" });
    }
    if (!hasWarned)
      log.warn({ host, origin }, "A proxy replaces the Host header: let it pass on the visitor's");
    hasWarned = true;
    await next();
    // Replayed or shared, the page would come without a redirect to everybody.
    c.set("replayable", undefined);
    forbidSharing(c.res);
  };
}

/** Proxies often pass on the name without the port (nginx's `$host`). */
function isSameHost({ protocol, host, hostname }: URL, requested: string): boolean {
  const requestedHost = URL.parse(`${protocol}//${requested}`)?.host;
  return requestedHost === host || requestedHost === hostname;
}
