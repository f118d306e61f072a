import { Hono } from "hono";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { showUrl } from "../domain/show-query.ts";
import { createConstantResponse, createResponseCache } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { unavailable } from "../http/requests/errors.server.ts";
import { digestOf } from "../lib/hash.server.ts";

/** In ms. The sitemap is long, and crawlers read it once a day. */
const MAX_STALE = 60_000;

/** docs/product.md §1.10 */
export function crawlerRoutes(catalogue: Catalogue, origin: string): Hono {
  const robots = createConstantResponse("text/plain; charset=utf-8", Buffer.from(robotsText(origin)));
  const getSitemap = createResponseCache({
    maxEntries: 1,
    maxBytes: 16_000_000,
    contentType: "application/xml; charset=utf-8",
    version: () => catalogue.state().version,
    maxStale: MAX_STALE,
  });
  const app = new Hono();
  app.get("/robots.txt", (c) => sendCached(c, robots, { isCacheable: true }));
  app.get("/sitemap.xml", async (c) => {
    // An empty sitemap would remove every show from search engines.
    if (!catalogue.state().loaded) throw unavailable;
    const response = await getSitemap({
      key: "sitemap",
      content() {
        const text = sitemapText(origin, catalogue);
        const hash = digestOf(text);
        return { hash, render: () => ({ text, hash }) };
      },
    });
    return sendCached(c, response, { isCacheable: true });
  });
  return app;
}

/** Searches are allowed: a crawler must read a page to find out that it is not indexed. */
function robotsText(origin: string): string {
  return `User-agent: *
Allow: /api/shows/
Allow: /api/preview.png
Disallow: /api/
Disallow: /auth/v1/

Sitemap: ${origin}/sitemap.xml
`;
}

function sitemapText(origin: string, catalogue: Catalogue): string {
  // A URL with one encoded parameter needs no escaping.
  const entries = ["/", ...catalogue.shows().map(({ id }) => showUrl(id))].map(
    (path) => `<url><loc>${origin}${path}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join("\n")}
</urlset>
`;
}
