import { Hono } from "hono";
import type { Catalogue } from "../../catalogue/catalogue.server.ts";
import { matchesETag } from "../../http/cache/send-cached.server.ts";
import { digestOf } from "../../lib/hash.server.ts";
import { badgeOf, badgePolicy, drawBadge, unlistedBadge } from "./badge.server.ts";

/** Companies' pages are read more often than reviews change. */
const CACHING = "public, max-age=300";

/** `GET /shows/<id>/badge.svg` (docs/product.md §9.13). Companies embed it, so errors are pictures, too. */
export function badgeRoutes(catalogue: Catalogue): Hono {
  const app = new Hono();
  app.get("/shows/:id/badge.svg", (c) => {
    const id = c.req.param("id");
    const show = catalogue.get(id)?.show;
    const title = show?.title ?? catalogue.unlistedTitle(id);
    const svg = drawBadge(title ?? "Front Row", show ? badgeOf(show) : unlistedBadge);
    const etag = `"${digestOf(svg)}"`;
    c.header("Content-Type", "image/svg+xml");
    c.header("Content-Security-Policy", badgePolicy);
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    c.header("Cache-Control", "no-store");
    if (title === undefined) return c.body(svg, catalogue.state().loaded ? 404 : 503);
    if (show && !show.reviews) return c.body(svg);
    c.header("Cache-Control", CACHING);
    c.header("ETag", etag);
    return matchesETag(c.req.header("If-None-Match"), etag) ? c.body(null, 304) : c.body(svg);
  });
  return app;
}
