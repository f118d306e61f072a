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
