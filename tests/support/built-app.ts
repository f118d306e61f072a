import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createRequestRecorder } from "../../src/http/observability/record-requests.server.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import type { AppOptions } from "../../src/server/app.server.ts";
import { createMetrics } from "../../src/server/metrics.server.ts";

type Parts = Partial<AppOptions["config"] & AppOptions["data"] & AppOptions["observation"]> &
  Pick<AppOptions, "listenerCache" | "maxStale" | "clientFiles" | "createRateCounter">;

export async function createBuiltApp({ db, pool }: Database, parts: Parts) {
  const { createApp }: typeof import("../../src/server/app.server.ts") = await import(
    new URL("../../build/server/app.js", import.meta.url).href
  );
  const { catalogue = createCatalogue(), log = createLogger("silent", { write: () => {} }) } = parts;
  const readiness = () => Promise.reject(new Error("no test reads readiness"));
  const metrics = createMetrics({
    catalogue,
    db,
    pool,
    readiness,
    postgresVersion: "18.4",
    countStrays: () => 0,
  });
  const recordRequest = createRequestRecorder(metrics.observeRequest, log);
  const app = createApp({
    ...parts,
    config: { ...parseConfig({}), origin: "http://site.example", redirectOrigins: [], ...parts },
    data: {
      ...{ db, signingKeys: createSigningKeys(db), catalogue, notes: createNotesCache(db) },
      ...{ onWritten: () => {}, ...parts },
    },
    observation: { readiness, metrics, recordRequest, onRefused: () => {}, log, ...parts },
  });
  const connection = { incoming: { socket: { remoteAddress: "127.0.0.1" }, headers: {} } };
  const request = async (path: string, init: RequestInit) => app.request(path, init, connection);
  const { fetch, routes } = app;
  return { get: (path: string) => request(path, {}), request, fetch, routes, recordRequest, metrics };
}
