import type { MiddlewareHandler } from "hono";

/**
 * Redirects pages of other hosts to the origin (docs/product.md §1.4), because the browser stores a sign-in
 * attempt by host.
 */
export function redirectToOrigin(origin: string): MiddlewareHandler {
  const site = new URL(origin);
  return async function redirectOtherHosts(c, next) {
    const host = c.req.header("Host");
    if (!host || isSameHost(site, host)) return next();
    const { pathname, search } = new URL(c.req.url);
    return c.body(null, 302, { Location: origin + pathname + search, "Cache-Control": "no-store" });
  };
}

/** Proxies often pass on the name without the port (nginx's `$host`). */
function isSameHost({ protocol, host, hostname }: URL, requested: string): boolean {
  const requestedHost = URL.parse(`${protocol}//${requested}`)?.host;
  return requestedHost === host || requestedHost === hostname;
}
