import type { IncomingHttpHeaders } from "node:http";
import type { Context } from "hono";

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
