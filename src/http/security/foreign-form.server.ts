import type { Context } from "hono";

/**
 * Old browsers send `Origin` only.
 * @param ownOrigins our own pages' origins: `null` for pages without a referrer
 */
export function isForeignForm(c: Context, ...ownOrigins: string[]): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined) return site !== "same-origin";
  const origin = c.req.header("Origin");
  return origin !== undefined && !ownOrigins.includes(origin);
}
