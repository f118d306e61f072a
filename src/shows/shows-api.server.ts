import { Hono } from "hono";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { withoutTallies } from "../catalogue/list-search.ts";
import { formatShowQuery, parseShowQuery } from "../domain/show-query.ts";
import { createResponseCache } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { type CountRequest, checkRate } from "../http/clients/rate-limit.server.ts";
import { parseQuery } from "../http/requests/query-parameters.server.ts";
import { showsParameters } from "./shows-api-schema.server.ts";

/**
 * `GET /shows`, never stale.
 * @param countSearch counts lists that are not cached
 */
export function showRoutes(catalogue: Catalogue, countSearch: CountRequest): Hono {
  // Separate caches: there are more searches than a cache has entries.
  const options = {
    maxEntries: 300,
    maxBytes: 16_000_000,
    contentType: "application/json",
    version: () => catalogue.state().version,
  };
  const getList = createResponseCache(options);
  const getSearch = createResponseCache(options);
  const app = new Hono();
  app.get("/shows", async (c) => {
    const alone = parseQuery(c, showsParameters).reviews !== undefined;
    const requested = parseShowQuery(new URL(c.req.url).searchParams);
    const query = alone ? withoutTallies(requested) : requested;
    const getResponse = query.search === "" && query.show === undefined ? getList : getSearch;
    const response = await getResponse({
      key: `${alone ? "alone " : ""}${formatShowQuery(query)}`,
      content: () => {
        const found = alone ? catalogue.findAlone(query) : catalogue.find(query);
        return { hash: found.hash, render: () => ({ text: found.json, hash: found.hash }) };
      },
      onMiss: async () => checkRate(c, countSearch),
    });
    return sendCached(c, response, { isCacheable: true });
  });
  return app;
}
