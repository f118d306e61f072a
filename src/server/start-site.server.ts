import type { RequestListener } from "node:http";
import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { startAuthMaintenance } from "../auth/store/cleanup.server.ts";
import { createSigningKeys } from "../auth/tokens/signing-keys.server.ts";
import { createCatalogue } from "../catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../catalogue/sync.server.ts";
import type { Config, FestivalApiConfig } from "../config/environment.server.ts";
import { DatabaseStartError } from "../database/database-start-error.server.ts";
import { describeOutage } from "../database/errors.server.ts";
import { subscribeToNotifications } from "../database/notifications.server.ts";
import { openDatabase } from "../database/open.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { createRecordRefusal } from "../http/admission/record-refusals.server.ts";
import { type HttpServer, listenHttp } from "../http/listener/http-server.server.ts";
import { createRequestRecorder } from "../http/observability/record-requests.server.ts";
import { refreshShows } from "../refresh/run-refresh.server.ts";
import { type Schedule, type ScheduleOptions, startSchedule } from "../refresh/schedule/cron.server.ts";
import { createNotesCache } from "../reviews/api/notes-cache.server.ts";
import { decodeTalliesUpdate, type TalliesUpdate } from "../reviews/api/tallies-notification.server.ts";
import type { AppOptions } from "./app.server.ts";
import { createMetrics } from "./metrics.server.ts";
import { createReadiness } from "./readiness.server.ts";
import { storeClientFiles } from "./stored-files.server.ts";

/** How long connections are drained on shutdown, in ms: longer than any route's response deadline. */
const DRAIN_TIMEOUT = 11_000;

export interface SiteOptions {
  config: Config;
  festivalApi: FestivalApiConfig;
  log: Logger;
  /** The folder of the built browser files; undefined if something else serves them. */
  clientFiles?: string;
  /** Creates the listener that serves requests. */
  createListener: (options: AppOptions) => RequestListener;
}

/**
 * Starts the whole site: database, catalogue, port, app, schedule. It listens only when it can answer, so
 * that a proxy goes on to another instance until then. Resolves when it serves requests, with the function
 * that shuts it down gracefully.
 * @throws ListenError, DatabaseStartError; nothing is left running then
 */
export async function startSite({
  config,
  festivalApi,
  log,
  clientFiles,
  createListener,
}: SiteOptions): Promise<() => Promise<void>> {
  // A port in use is reported before anything else is started.
  await (await listenHttp(config.host, config.port)).close(0);
  let http: HttpServer | undefined;
  const running = new AsyncDisposableStack();
  const stop = async (drainTimeout: number) => {
    await http?.close(drainTimeout);
    await running.disposeAsync();
  };
  try {
    const database = await openDatabase({ ...config, log, sharing: "own" });
    running.defer(database.close);
    const { db, directUrl } = database;

    const catalogue = createCatalogue();
    const notes = createNotesCache(db);
    const sync = createCatalogueSync({ catalogue, db, log, onReloaded: notes.invalidateAll });
    running.defer(sync.close);
    const onWritten = ({ showId, tallies }: TalliesUpdate) => {
      if (catalogue.updateTallies(showId, tallies)) notes.invalidate(showId);
    };
    const handlers = {
      shows_changed: sync.reload,
      tallies: (payload: string) => onWritten(decodeTalliesUpdate(payload)),
    };
    let schedule: Schedule | undefined;
    const subscription = subscribeToNotifications({
      url: directUrl,
      handlers,
      onConnected: sync.reload,
      onReadOnly() {
        database.dropConnections();
        schedule?.dropConnections();
      },
      log,
    });
    running.defer(subscription.close);
    const signingKeys = createSigningKeys(db);
    await Promise.all([
      subscription.firstAttempt,
      signingKeys.rotate(),
      // Before `serve`: any instance may be asked for the files of the pages that this one sends.
      clientFiles && storeClientFiles(db, clientFiles, log),
    ]);
    if (!catalogue.state().loaded) await sync.reload();

    const postgresVersion = await findVersion(db);
    http = await listenHttp(config.host, config.port);
    const readiness = createReadiness({ catalogue, db, isStopping: http.isClosing });
    const { pool } = database;
    const metrics = createMetrics({ catalogue, pool, readiness, postgresVersion });
    const onRefused = createRecordRefusal(log, metrics.countRefusal);
    http.serve(
      createListener({
        ...config,
        ...(clientFiles && { clientFiles }),
        catalogue,
        notes,
        onWritten,
        db,
        signingKeys,
        readiness,
        metrics,
        recordRequest: createRequestRecorder(metrics.observeRequest, log),
        onRefused,
        log,
      }),
    );

    // After `serve`, so that no request waits for their first runs.
    const refresh: ScheduleOptions["refresh"] = (signal, unlessSucceededSince, scheduleDb) =>
      refreshShows({ db: scheduleDb, api: festivalApi, log, signal, unlessSucceededSince });
    schedule = startSchedule({ url: directUrl, refresh, log });
    running.defer(schedule.stop);
    running.defer(startAuthMaintenance(db, signingKeys, log).stop);
    return () => stop(DRAIN_TIMEOUT);
  } catch (error) {
    await stop(0);
    const outage = describeOutage(error);
    throw outage === null
      ? error
      : new DatabaseStartError(`The database cannot be used: ${outage}`, { cause: error });
  }
}

/** The database server's version, for example `17.6 (Debian 17.6-0+deb13u1)`. */
async function findVersion(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version ?? "unknown";
}
