import type { Context, MiddlewareHandler } from "hono";
import { HttpError } from "../requests/errors.server.ts";

// By headers that no page can change. Old browsers send `Origin` alone, and are served.

/** @param ownOrigins our own pages' origins: `null` for pages without a referrer */
export function isForeignForm(c: Context, ...ownOrigins: string[]): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined) return site !== "same-origin";
  const origin = c.req.header("Origin");
  return origin !== undefined && !ownOrigins.includes(origin);
}

/** Mounted before what counts: no other site's page can use up a visitor's limits. */
export const refuseCrossSite: MiddlewareHandler = async function refuseCrossSite(c, next) {
  if (c.req.header("Sec-Fetch-Site") === "cross-site")
    throw new HttpError(403, "cross_site", "Requests of other sites are refused.");
  await next();
};

/** For what a visitor opens, also by a link of another site, but no page loads on its own. */
export const requireNavigation: MiddlewareHandler = async function requireNavigation(c, next) {
  if ((c.req.header("Sec-Fetch-Dest") ?? "document") !== "document")
    throw new HttpError(403, "navigation_required", "This address can only be opened as a page.");
  await next();
};
