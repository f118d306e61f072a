import { type Context, Hono } from "hono";
import type { Catalogue } from "../../catalogue/catalogue.server.ts";
import { BusyPageError } from "../../http/admission/busy-page.server.ts";
import { matchesETag } from "../../http/cache/send-cached.server.ts";
import { cachingHeaders } from "../../http/cache/shared-caching.server.ts";
import { createClientNetworks } from "../../http/clients/client-address.server.ts";
import { type CountRequest, limitRate } from "../../http/clients/rate-limit.server.ts";
import { allowMethods } from "../../http/requests/allow-methods.server.ts";
import { HttpError, unavailable } from "../../http/requests/errors.server.ts";
import { previewOf } from "./preview.server.ts";
import { createPreviews } from "./previews.server.ts";

interface PreviewOptions {
  catalogue: Catalogue;
  /** Counts the pictures that a client asks for. */
  countPreview: CountRequest;
  /** Called for each picture that is refused because the server cannot draw it in time. */
  onRefused: () => void;
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
}

/**
 * `GET /shows/<id>/preview.png`: the picture that link previews show (docs/product.md §9.11). It needs no
 * client key: the services that fetch it have none.
 */
export function previewRoutes({ catalogue, countPreview, onRefused, trustedProxies }: PreviewOptions): Hono {
  const previews = createPreviews(onRefused);
  const networksOf = createClientNetworks(trustedProxies);
  const clientOf = (c: Context) => networksOf(c.env.incoming).at(-1) ?? "";
  const app = new Hono();
  app.use("/shows/:id/preview.png", allowMethods("GET", "HEAD"), limitRate(countPreview));
  app.get("/shows/:id/preview.png", async (c) => {
    if (!catalogue.state().loaded) throw unavailable;
    const found = catalogue.get(c.req.param("id"));
    if (!found) throw new HttpError(404, "show_not_found", "There is no such show in the list.");
    const preview = previewOf(found.show);
    const etag = `"${previews.hashOf(preview)}"`;
    for (const [name, value] of Object.entries(cachingHeaders(c, true))) c.header(name, value);
    c.header("ETag", etag);
    // Other sites show it beside a link.
    c.header("Cross-Origin-Resource-Policy", "cross-origin");
    if (matchesETag(c.req.header("If-None-Match"), etag)) return c.body(null, 304);
    try {
      return c.body(await previews.draw(preview, clientOf(c)), 200, { "Content-Type": "image/png" });
    } catch (error) {
      throw error instanceof BusyPageError ? unavailable : error;
    }
  });
  return app;
}
