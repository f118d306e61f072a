import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { createExpiringMap } from "../../lib/expiring-map.server.ts";
import { digestOf } from "../../lib/hash.server.ts";
import type { NetworksOf } from "../clients/client-address.server.ts";

interface RedirectOptions {
  origin: string;
  networksOf: NetworksOf;
  log: Logger;
}

/** Redirects of one request within `LOOP_WINDOW_MS`. Browsers give up after 16 to 20. */
const LOOP = 10;

const LOOP_WINDOW_MS = 8_000;

const MAX_REMEMBERED = 10_000;

/**
 * Redirects pages of other hosts to the origin (docs/product.md §1.4), because the browser stores a sign-in
 * attempt by host. A loop of redirects means that a proxy replaces the `Host` header: then the page is sent.
 */
export function redirectToOrigin({ origin, networksOf, log }: RedirectOptions): MiddlewareHandler {
  const site = new URL(origin);
  const redirects = createExpiringMap<number>({ ttl: LOOP_WINDOW_MS, max: MAX_REMEMBERED });
  let hasWarned = false;

  return async function redirectOtherHosts(c, next) {
    const host = c.req.header("Host");
    if (!host || isSameHost(site, host)) return next();
    const { pathname, search } = new URL(c.req.url);
    const [client = ""] = networksOf(c.env.incoming);
    const request = digestOf([c.req.method, host, client, pathname, search].join(" "));
    const redirected = redirects.get(request) ?? redirects.add(request, 0);
    redirected.value++;
    if (redirected.value <= LOOP)
      return c.body(null, 302, { Location: origin + pathname + search, "Cache-Control": "no-store" });
    if (!hasWarned)
      log.warn({ host, origin }, "A proxy replaces the Host header: let it pass on the visitor's");
    hasWarned = true;
    await next();
    // From a cache, other clients would get this page in place of the redirect.
    c.set("cacheable", undefined);
    c.header("Cache-Control", "no-store");
  };
}

/** Proxies often pass on the name without the port (nginx's `$host`). */
function isSameHost({ protocol, host, hostname }: URL, requested: string): boolean {
  const requestedHost = URL.parse(`${protocol}//${requested}`)?.host;
  return requestedHost === host || requestedHost === hostname;
}
