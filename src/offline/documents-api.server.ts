import { type Context, Hono } from "hono";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import { packShows, packTallies } from "../catalogue/pack-shows.server.ts";
import { type SavedShows, type SavedTallies, savedShows, savedTallies } from "../domain/offline-dto.ts";
import { createResponseCache } from "../http/cache/response-cache.server.ts";
import { sendCached } from "../http/cache/send-cached.server.ts";
import { unavailable } from "../http/requests/errors.server.ts";
import { digestOf } from "../lib/hash.server.ts";

/** In ms. On a busy day each review would render them again, but phones ask only every ten minutes. */
const MAX_STALE = 60_000;

/** The best quality takes a thread two seconds after a refresh. Each phone fetches the texts up to twice a day. */
const BROTLI_QUALITY = 11;

/** The documents of the saved list (docs/product.md §9.14). They need no client key. */
export function savedListRoutes(catalogue: Catalogue): Hono {
  const options = { maxEntries: 1, maxBytes: 32_000_000, contentType: "application/json" };
  const getShows = createResponseCache({
    ...options,
    version: () => catalogue.state().readAt,
    brotliQuality: BROTLI_QUALITY,
  });
  const getTallies = createResponseCache({
    ...options,
    version: () => catalogue.state().version,
    maxStale: MAX_STALE,
  });
  const app = new Hono();
  app.get("/offline/shows.json", (c) =>
    send(c, catalogue.state().loaded, getShows, () => packShows(catalogue.shows())),
  );
  app.get("/tallies.json", (c) =>
    send(c, catalogue.state().talliesKnown, getTallies, () =>
      packTallies(catalogue.reviewed(), catalogue.idStart),
    ),
  );
  return app;
}

async function send(
  c: Context,
  isKnown: boolean,
  getResponse: ReturnType<typeof createResponseCache>,
  pack: () => SavedShows | SavedTallies,
): Promise<Response> {
  if (!isKnown) throw unavailable;
  const response = await getResponse({
    key: c.req.path,
    content() {
      const text = JSON.stringify(pack());
      const hash = digestOf(text);
      return { hash, render: () => ({ text, hash }) };
    },
  });
  // Not cacheable: copies under many addresses would evict everything else from the listener cache.
  return sendCached(c, response);
}

const describe = {
  errors: { "429": "network_rate_limited; Retry-After says for how many seconds", "503": "unavailable" },
};

export const describeSavedShows = {
  ...describe,
  summary:
    "All listed shows by title, to be kept by a browser: a column for each field; descriptions are cut, warnings are positions in phrases",
  response: savedShows,
};

export const describeSavedTallies = {
  ...describe,
  summary:
    "How many reviews gave each answer, of all reviewed shows in the order of the list: open data (CC0). id_start is the beginning of an id that no other show has; latest_on the day of the newest review in Edinburgh",
  response: savedTallies,
};
