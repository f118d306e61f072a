import type { RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import { startAuthMaintenance } from "../auth/store/cleanup.server.ts";
import { createSigningKeys } from "../auth/tokens/signing-keys.server.ts";
import { createCatalogue } from "../catalogue/catalogue.server.ts";
import { type CatalogueFile, createCatalogueFile } from "../catalogue/catalogue-file.server.ts";
import { createCatalogueSync } from "../catalogue/sync.server.ts";
import type { Config, FestivalApiConfig } from "../config/environment.server.ts";
import { DatabaseStartError } from "../database/database-start-error.server.ts";
import { describeOutage } from "../database/errors.server.ts";
import { subscribeToNotifications } from "../database/notifications.server.ts";
import { openDatabase } from "../database/open.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { type HttpServer, listenHttp } from "../http/listener/http-server.server.ts";
import { untilAborted } from "../lib/abort.ts";
import { messageOf } from "../lib/error-message.ts";
import { refreshShows } from "../refresh/run-refresh.server.ts";
import {
  type Schedule,
  type ScheduleOptions,
  startSchedule as startScheduling,
} from "../refresh/schedule/cron.server.ts";
import { createNotesCache } from "../reviews/api/notes-cache.server.ts";
import { decodeTalliesUpdate, type TalliesUpdate } from "../reviews/api/tallies-notification.server.ts";
import { startModerationMaintenance } from "../reviews/moderation/cleanup.server.ts";
import type { AppOptions } from "./app.server.ts";
import { moderationTasks } from "./moderation-tasks.server.ts";
import { createOfflineListener } from "./offline-listener.server.ts";
import { createSiteListener } from "./site-listener.server.ts";
import { storeClientFiles } from "./stored-files.server.ts";

/** How long connections are drained on shutdown, in ms: longer than any route's response deadline. */
const DRAIN_TIMEOUT = 11_000;

/** How long to wait before the database is tried again after a start without it, in ms. */
const RETRY_DELAY = 1_000;

export interface SiteOptions {
  config: Config;
  festivalApi: FestivalApiConfig;
  log: Logger;
  /** Ends a start that is not yet complete. */
  stopping?: AbortSignal;
  /** The folder of the built browser files; undefined if something else serves them. */
  clientFiles?: string;
  /** Creates the listener that serves requests. */
  createListener: (options: AppOptions) => RequestListener;
}

/**
 * Starts the whole site: database, catalogue, port, app, schedule. It listens only when it can answer, so
 * that a proxy goes on to another instance until then. Resolves when it serves requests, with the function
 * that shuts it down gracefully.
 *
 * While the database is away, an instance that has a catalogue file serves that, and goes on to the database
 * when it is back.
 * @throws ListenError, DatabaseStartError, or the reason of `stopping`; nothing is left running then
 */
export async function startSite(options: SiteOptions): Promise<() => Promise<void>> {
  const { config, log } = options;
  // A port in use is reported before anything else is started.
  await (await listenHttp(config.host, config.port)).close(0);
  const file = config.catalogueFile ? createCatalogueFile(config.catalogueFile, log) : null;
  const stopping = new AbortController();
  const site = createSite(options, file, () => stopping.signal.aborted);
  let http: HttpServer | undefined;
  const stop = async (drainTimeout: number) => {
    stopping.abort();
    await http?.close(drainTimeout);
    await site.close();
  };
  try {
    const away = Promise.withResolvers<"away">();
    const opening = site.open(() => away.resolve("away"));
    const snapshot = (await Promise.race([opening, away.promise])) === "away" ? await file?.read() : null;
    const isStopping = () => stopping.signal.aborted;
    let listener = snapshot
      ? await createOfflineListener(snapshot, { ...options, isStopping })
      : await opening;
    http = await listenHttp(config.host, config.port);
    http.serve((request, response) => listener(request, response));
    if (snapshot) {
      log.warn("The database is away: serving the last catalogue, for reading");
      void openWhenBack(opening, site.open, stopping.signal, log).then((online) => {
        if (online === null) return;
        listener = online;
        site.startSchedule();
        log.info("The database is back");
      });
    } else site.startSchedule();
    return () => stop(DRAIN_TIMEOUT);
  } catch (error) {
    await stop(0);
    const outage = describeOutage(error);
    throw outage === null
      ? error
      : new DatabaseStartError(`The database cannot be used: ${outage}`, { cause: error });
  }
}

/**
 * Resolves with the first result of `opening` or a later try; null when stopped. Each new reason is logged.
 */
async function openWhenBack<T>(
  opening: Promise<T>,
  open: () => Promise<T>,
  stopping: AbortSignal,
  log: Logger,
): Promise<T | null> {
  let reason = "";
  for (let next = opening; !stopping.aborted; next = open()) {
    try {
      const opened = await next;
      return stopping.aborted ? null : opened;
    } catch (error) {
      if (messageOf(error) !== reason)
        log.error({ reason: messageOf(error) }, "The database is not back yet");
      reason = messageOf(error);
    }
    await pause(RETRY_DELAY, undefined, { signal: stopping }).catch(() => {});
  }
  return null;
}

/** The site apart from its port. Whatever was opened when a try fails is closed. */
function createSite(options: SiteOptions, file: CatalogueFile | null, isStopping: () => boolean) {
  const { config, log, clientFiles, festivalApi } = options;
  let running = new AsyncDisposableStack();
  let schedule: Schedule | undefined;
  let startSchedule = () => {};

  /** @param onWaiting called when the database does not answer yet, and is waited for */
  async function open(onWaiting?: () => void): Promise<RequestListener> {
    const starting = new AsyncDisposableStack();
    try {
      return await openOnto(starting, onWaiting);
    } catch (error) {
      await starting.disposeAsync();
      throw error;
    }
  }

  async function openOnto(
    starting: AsyncDisposableStack,
    onWaiting: (() => void) | undefined,
  ): Promise<RequestListener> {
    const database = await openDatabase({
      ...config,
      log,
      sharing: "own",
      onWaiting,
      signal: options.stopping,
    });
    starting.defer(database.close);
    const { db, directUrl, pool } = database;

    const catalogue = createCatalogue();
    const notes = createNotesCache(db);
    const sync = createCatalogueSync({
      catalogue,
      db,
      log,
      onReloaded: notes.invalidateAll,
      ...(file && { onSnapshot: (snapshot) => void file.write(snapshot) }),
    });
    starting.defer(sync.close);
    const onWritten = ({ showId, tallies }: TalliesUpdate) => {
      if (catalogue.updateTallies(showId, tallies)) notes.invalidate(showId);
    };
    const handlers = {
      shows_changed: sync.reload,
      tallies: (payload: string) => onWritten(decodeTalliesUpdate(payload)),
    };
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
    starting.defer(subscription.close);
    const signingKeys = createSigningKeys(db);
    const untilStopped = <T>(work: Promise<T>) => untilAborted(options.stopping, work);
    await untilStopped(
      Promise.all([
        subscription.firstAttempt,
        signingKeys.rotate(),
        // Before `serve`: any instance may be asked for the files of the pages that this one sends.
        clientFiles && storeClientFiles(db, clientFiles, log),
      ]),
    );
    if (!catalogue.state().loaded) await untilStopped(sync.reload());

    const postgresVersion = await findVersion(db);
    const parts = { catalogue, notes, onWritten, db, signingKeys, pool, postgresVersion };
    const { listener, metrics } = createSiteListener({ ...options, isStopping, parts });
    const { countMessage } = metrics;
    const tasks = moderationTasks({ config, signingKeys, countMessage, log });
    startSchedule = () => {
      const refreshing = { api: festivalApi, log, onGap: metrics.countGap };
      const refresh: ScheduleOptions["refresh"] = (signal, unlessSucceededSince, scheduleDb) =>
        refreshShows({ ...refreshing, db: scheduleDb, signal, unlessSucceededSince });
      schedule = startScheduling({ url: directUrl, refresh, tasks, log });
      running.defer(schedule.stop);
      running.defer(startAuthMaintenance(db, signingKeys, log).stop);
      running.defer(startModerationMaintenance(db, log).stop);
    };
    running = starting.move();
    return listener;
  }

  return {
    open,
    /** After `serve`, so that no request waits for the first runs. */
    startSchedule: () => startSchedule(),
    close: () => running.disposeAsync(),
  };
}

/** The database server's version, for example `17.6 (Debian 17.6-0+deb13u1)`. */
async function findVersion(db: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version') as version`.execute(db);
  return rows[0]?.version ?? "unknown";
}
