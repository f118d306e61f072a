import type { IncomingHttpHeaders } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { HttpError } from "../requests/errors.server.ts";

// No page can change these headers. Old browsers send only `Origin`, and are served.

/** @param ownOrigins `null` for our pages without a referrer */
export function isForeignForm(c: Context, ...ownOrigins: string[]): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined) return site !== "same-origin";
  const origin = c.req.header("Origin");
  return origin !== undefined && !ownOrigins.includes(origin);
}

/**
 * A picture, script, frame or fetch of another site's page, also of the same domain. A service worker passes a
 * navigation on with the destination `empty`; no page can request that mode.
 */
export function isForeignSubresource(headers: IncomingHttpHeaders): boolean {
  const { "sec-fetch-site": site, "sec-fetch-dest": dest, "sec-fetch-mode": mode } = headers;
  if (site !== "cross-site" && site !== "same-site") return false;
  return dest !== "document" && !(mode === "navigate" && (dest ?? "empty") === "empty");
}

/** Mounted before rate limits, so that pages of other sites cannot use up a visitor's limits. */
export const refuseCrossSite: MiddlewareHandler = async function refuseCrossSite(c, next) {
  if (c.req.header("Sec-Fetch-Site") === "cross-site")
    throw new HttpError(403, "cross_site", "Requests of other sites are refused.");
  await next();
};

/** For addresses that no page loads by itself. A visitor opens them, also by a link of another site. */
export const requireNavigation: MiddlewareHandler = async function requireNavigation(c, next) {
  if ((c.req.header("Sec-Fetch-Dest") ?? "document") !== "document")
    throw new HttpError(403, "navigation_required", "This address can only be opened as a page.");
  await next();
};
