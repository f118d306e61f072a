import { type Context, Hono } from "hono";
import type { Catalogue } from "../../catalogue/catalogue.server.ts";
import { matchesETag } from "../../http/cache/send-cached.server.ts";
import { cacheControlFor } from "../../http/cache/shared-caching.server.ts";
import { HttpError, unavailable } from "../../http/requests/errors.server.ts";
import { type Preview, previewOf, sitePreview } from "./preview.server.ts";
import { createDrawPreview, digestOfPreview } from "./previews.server.ts";

interface PreviewOptions {
  catalogue: Catalogue;
  refusal: Error;
  clientOf: (c: Context) => string;
}

/** docs/product.md §9.11. Link previews have no client key. Any digest gets the current picture. */
export function previewRoutes({ catalogue, refusal, clientOf }: PreviewOptions): Hono {
  const drawPreview = createDrawPreview(refusal);

  async function send(c: Context, preview: Preview): Promise<Response> {
    const etag = `"${digestOfPreview(preview)}"`;
    c.header("Cache-Control", cacheControlFor(c));
    c.header("ETag", etag);
    // Other sites embed it beside a link.
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    if (matchesETag(c.req.header("If-None-Match"), etag)) return c.body(null, 304);
    return c.body(await drawPreview(preview, clientOf(c)), 200, { "Content-Type": "image/png" });
  }

  const app = new Hono();
  app.get("/preview.png", (c) => send(c, sitePreview));
  app.get("/shows/:id/preview.png", (c) => {
    if (!catalogue.state().loaded) throw unavailable;
    const found = catalogue.get(c.req.param("id"));
    if (!found) throw new HttpError(404, "show_not_found", "There is no such show in the list.");
    return send(c, previewOf(found.show));
  });
  return app;
}
