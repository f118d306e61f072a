import type { RequestListener } from "node:http";
import type { Logger } from "pino";
import { createDeletionLog, DELETION_CHANNEL } from "../accounts/end-account.server.ts";
import { createSigningKeys } from "../auth/tokens/signing-keys.server.ts";
import { createCatalogue } from "../catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../catalogue/sync.server.ts";
import type { Config, FestivalApiConfig } from "../config/environment.server.ts";
import { describeOutage } from "../database/errors.server.ts";
import { subscribeToNotifications } from "../database/notifications.server.ts";
import { openDatabase } from "../database/open.server.ts";
import { logSecurityEvent, SECURITY_CHANNEL } from "../database/security-log.server.ts";
import { findServerFigures } from "../database/server-figures.server.ts";
import { createRecordRefusal } from "../http/admission/admit-requests.server.ts";
import { type HttpServer, listenHttp } from "../http/listener/http-server.server.ts";
import { createRequestRecorder } from "../http/observability/record-requests.server.ts";
import { type JobQueue, startJobs } from "../jobs/job-queue.server.ts";
import { untilAborted } from "../lib/bounded-wait.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { createNotesCache } from "../reviews/api/notes-cache.server.ts";
import { decodeTalliesUpdate, type TalliesUpdate } from "../reviews/store/reviews-table.server.ts";
import type { AppOptions } from "./app.server.ts";
import { createMetrics } from "./metrics.server.ts";
import { createReadiness } from "./readiness.server.ts";
import { storeClientFiles } from "./stored-files.server.ts";
import { watchStrayRejections } from "./stray-rejections.server.ts";
import { createTasks } from "./tasks.server.ts";

/** In ms. Longer than any route's response deadline. */
const DRAIN_TIMEOUT = 11_000;

export interface SiteOptions {
  config: Config;
  festivalApi: FestivalApiConfig;
  log: Logger;
  stopping?: AbortSignal;
  clientFiles?: string;
  createListener: (options: AppOptions) => RequestListener;
}

/**
 * Listens only when it can serve requests: until then, proxies use other instances. Resolves with a function that
 * stops the site. @throws OperatorError, or the reason of `stopping`, with all parts stopped
 */
export async function startSite(options: SiteOptions): Promise<() => Promise<void>> {
  const { config } = options;
  // Reports a port in use before any other part starts.
  await (await listenHttp(config.host, config.port)).close(0);
  const running = new AsyncDisposableStack();
  let isStopping = false;
  let http: HttpServer | undefined;
  const stop = async (drainTimeout: number) => {
    isStopping = true;
    await http?.close(drainTimeout);
    await running.disposeAsync();
  };
  try {
    const { listener, startQueue } = await openSite(options, running, () => isStopping);
    http = await listenHttp(config.host, config.port);
    http.serve(listener);
    startQueue();
    return () => stop(DRAIN_TIMEOUT);
  } catch (error) {
    await stop(0);
    const outage = describeOutage(error);
    throw outage === null
      ? error
      : new OperatorError(`The database cannot be used: ${outage}`, { cause: error });
  }
}

async function openSite(options: SiteOptions, running: AsyncDisposableStack, isStopping: () => boolean) {
  const { config, log, clientFiles, festivalApi, stopping } = options;
  let jobs: JobQueue | undefined;
  const database = await openDatabase({ ...config, log, sharing: "own", signal: stopping });
  running.defer(database.close);
  const { db, directUrl, pool } = database;

  const strayRejections = watchStrayRejections(db, log);
  running.defer(strayRejections.close);
  const catalogue = createCatalogue();
  const notes = createNotesCache(db);
  const onReloaded = () => {
    notes.invalidateAll();
    void strayRejections.record();
  };
  const sync = createCatalogueSync({ catalogue, db, log, onReloaded });
  running.defer(sync.close);
  const onWritten = ({ showId, tallies }: TalliesUpdate) => {
    if (catalogue.updateTallies(showId, tallies)) notes.invalidate(showId);
  };
  const logDeletions = createDeletionLog(db, log);
  const signingKeys = createSigningKeys(db);
  async function storeFiles() {
    if (clientFiles) await storeClientFiles(db, clientFiles, log);
  }
  const handlers = {
    shows_changed: sync.reload,
    tallies: (payload: string) => onWritten(decodeTalliesUpdate(payload)),
    [DELETION_CHANNEL]: logDeletions,
    restored: () => Promise.all([sync.reload(), logDeletions(), signingKeys.rotate(), storeFiles()]),
    [SECURITY_CHANNEL]: (payload: string) => logSecurityEvent(log, JSON.parse(payload)),
  };
  const subscription = subscribeToNotifications({
    url: directUrl,
    handlers,
    onConnected: () => Promise.all([sync.reload(), logDeletions()]),
    onReadOnly() {
      database.dropConnections();
      jobs?.dropConnections();
    },
    log,
  });
  running.defer(subscription.close);
  const untilStopped = <T>(work: Promise<T>) => untilAborted(stopping, work);
  await untilStopped(
    Promise.all([
      subscription.firstAttempt,
      signingKeys.rotate(),
      // Before `serve`: browsers may request the files of this instance's pages from any other.
      storeFiles(),
    ]),
  );
  if (!catalogue.state().loaded) await untilStopped(sync.reload());

  const readiness = createReadiness({ catalogue, db, isStopping, log });
  const { version: postgresVersion } = await findServerFigures(db);
  const metrics = createMetrics({
    ...{ catalogue, db, pool, readiness, postgresVersion },
    countStrays: strayRejections.count,
  });
  const listener = options.createListener({
    config,
    data: { db, signingKeys, catalogue, notes, onWritten },
    observation: {
      readiness,
      metrics,
      recordRequest: createRequestRecorder(metrics.observeRequest, log),
      onRefused: createRecordRefusal(log, metrics.countRefusal),
      log,
    },
    ...(clientFiles && { clientFiles }),
  });
  const tasks = createTasks({ config, festivalApi, metrics, log });
  /** After `serve`, so that no request waits for the first jobs. */
  const startQueue = () => {
    jobs = startJobs({ url: directUrl, tasks, log });
    running.defer(jobs.stop);
  };
  return { listener, startQueue };
}
