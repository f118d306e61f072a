import type { MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";

interface RedirectOptions {
  origin: string;
  log: Logger;
  now?: () => number;
}

/** Redirects of one request within `LOOP_WINDOW_MS`. Browsers follow 16 to 20. */
const LOOP = 10;

const LOOP_WINDOW_MS = 8_000;

/**
 * Redirects pages of any other host to the origin (docs/product.md §1.4): what the browser stores for a
 * sign-in would stay behind. A browser in a loop of redirects gets its page: it is at the origin, and a proxy
 * replaces the `Host` header.
 */
export function redirectToOrigin({
  origin,
  log,
  now = performance.now.bind(performance),
}: RedirectOptions): MiddlewareHandler {
  const site = new URL(origin);
  const redirects = new LRUCache<string, number>({
    max: 10_000,
    ttl: LOOP_WINDOW_MS,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: { now },
  });
  let hasWarned = false;

  return async function redirectOtherHosts(c, next) {
    const host = c.req.header("Host");
    if (!host || isSameHost(site, host)) return next();
    const { pathname, search } = new URL(c.req.url);
    const client = c.req.header("X-Forwarded-For") ?? c.env.incoming.socket.remoteAddress;
    const request = [c.req.method, host, client, pathname, search].join(" ");
    const count = (redirects.get(request) ?? 0) + 1;
    redirects.set(request, count);
    if (count <= LOOP)
      return c.body(null, 302, { Location: origin + pathname + search, "Cache-Control": "no-store" });
    if (!hasWarned)
      log.warn({ host, origin }, "A proxy replaces the Host header: let it pass on the visitor's");
    hasWarned = true;
    await next();
    // Replayed or shared, it would come without a redirect to everybody.
    c.set("replayable", undefined);
    c.header("Cache-Control", "no-store");
  };
}

/** Proxies often pass on the name without the port (nginx's `$host`). */
function isSameHost({ protocol, host, hostname }: URL, requested: string): boolean {
  const requestedHost = URL.parse(`${protocol}//${requested}`)?.host;
  return requestedHost === host || requestedHost === hostname;
}
