import type { Context } from "hono";

/**
 * Whether another site's page sent a form. Old browsers send `Origin` only.
 * @param ownOrigins what they name as the origin of our own pages: `null` for those without a referrer
 */
export function isForeignForm(c: Context, ...ownOrigins: string[]): boolean {
  const site = c.req.header("Sec-Fetch-Site");
  if (site !== undefined) return site !== "same-origin";
  const origin = c.req.header("Origin");
  return origin !== undefined && !ownOrigins.includes(origin);
}
