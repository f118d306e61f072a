import { fileURLToPath } from "node:url";
import { type Logger, pino } from "pino";
import { type Config, ConfigError, parseConfig, readEnvironment } from "./config.server.ts";
import { listen } from "./database/listen.server.ts";
import { openDatabase } from "./database/open.server.ts";
import { DatabaseStartError } from "./database/start-error.server.ts";
import { ListenError, listenHttp } from "./http/listen.server.ts";
import { createReadiness } from "./readiness.server.ts";
import { refreshShows } from "./refresh/refresh.server.ts";
import { startSchedule } from "./refresh/schedule.server.ts";
import { createCatalogue } from "./shows/catalogue.server.ts";
import { feedCatalogue } from "./shows/catalogue-feed.server.ts";

/** How long running requests may take to finish when the process is told to stop, in ms. */
const PATIENCE = 5_000;

const built = (path: string) => new URL(`../build/${path}`, import.meta.url);

/** Runs the whole site; resolves with what stops it again: accept nothing more, finish what runs, close. */
async function startSite(config: Config, log: Logger): Promise<() => Promise<void>> {
  const http = await listenHttp(config.host, config.port);
  const running = new AsyncDisposableStack();
  const stop = async () => {
    await http.close(PATIENCE);
    await running.disposeAsync();
  };
  try {
    const { createApp }: typeof import("./app.server.ts") = await import(built("server/index.js").href);
    const database = await openDatabase({ ...config, log, sharing: "own" });
    running.defer(database.close);
    const catalogue = createCatalogue();
    const feed = feedCatalogue({ catalogue, db: database.db, log });
    running.defer(feed.close);
    const handlers = { shows_changed: feed.reload, tallies_changed: feed.talliesChanged };
    running.defer(listen({ url: database.url, handlers, onConnected: feed.reload, log }).close);
    await feed.reload();
    const refresh = (signal) => refreshShows({ db: database.db, api: config.festivalApi, log, signal });
    const schedule = await startSchedule({ pool: database.pool, refresh, log });
    running.defer(schedule.stop);
    const readiness = createReadiness(catalogue, database.db);
    http.serve(createApp({ ...config, catalogue, readiness, log, clientFiles: fileURLToPath(built("client")) }));
    log.info({ shows: catalogue.state().shows }, `Open at ${config.origin}`);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
