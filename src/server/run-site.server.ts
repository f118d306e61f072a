import process from "node:process";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { pino } from "pino";
import { loadConfig } from "../config/environment.server.ts";
import {
  requireDatabase,
  requireOperator,
  requireProductionCredentials,
} from "../config/production-credentials.server.ts";
import { admitRequests } from "../http/admission/admit-requests.server.ts";
import { createListenerCache } from "../http/cache/listener-cache.server.ts";
import { createNetworksOf } from "../http/clients/client-address.server.ts";
import { createRateCounters } from "../http/clients/rate-limit.server.ts";
import { createLogger } from "../lib/logger.server.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { createApp } from "./app.server.ts";
import { rateLimits } from "./rate-limits.server.ts";
import { admission, isOpenData } from "./routes.server.ts";
import { type SiteOptions, startSite } from "./start-site.server.ts";

const START_STOP_MS = 1_800;

interface RunOptions {
  /** Stops the site, also during its start. Its reason is the longest time of the stop, in ms. */
  stopping: AbortSignal;
  clientFiles: string;
  /** Without an operator, the site says that it is a demo. */
  mayBeDemo?: boolean;
  wrapApp?: (app: Hono) => Hono;
}

export async function runSite(options: RunOptions): Promise<void> {
  try {
    await serveUntilStopped(options);
  } catch (error) {
    if (options.stopping.aborted) process.exit();
    console.error(error instanceof OperatorError ? error.message : error);
    process.exit(1);
  }
}

async function serveUntilStopped({ stopping, clientFiles, mayBeDemo, wrapApp }: RunOptions): Promise<void> {
  const config = loadConfig();
  const festivalApi = requireProductionCredentials(config);
  if (!mayBeDemo) requireOperator(config);
  requireDatabase(config);
  // Synchronous: otherwise the exit waits for unwritten lines, forever if the output has no reader.
  const log = createLogger(config.logLevel, pino.destination({ dest: 1, sync: true }));
  let stop: (() => Promise<void>) | undefined;
  const exitSoon = () => {
    log.info("Stopping");
    setTimeout(() => process.exit(stop ? 1 : 0), stop ? Number(stopping.reason) : START_STOP_MS);
    void stop?.().finally(() => process.exit());
  };
  stopping.addEventListener("abort", exitSoon);
  stop = await serveSite({ stopping, config, festivalApi, log, clientFiles, wrapApp });
  // The signal may have come between the last step of the start and this line.
  if (stopping.aborted) return stop().finally(() => process.exit());
  if (process.send) process.send("open");
  else log.info(`Front Row is open at ${config.origin}`);
}

interface ServeOptions extends Omit<SiteOptions, "createListener">, Pick<RunOptions, "wrapApp"> {}

export function serveSite({ wrapApp = (app) => app, ...site }: ServeOptions): Promise<() => Promise<void>> {
  return startSite({
    ...site,
    createListener(options) {
      const networksOf = createNetworksOf(site.config.trustedProxies);
      const { recordRequest, onRefused } = options.observation;
      const listenerCache = createListenerCache(recordRequest);
      const createRateCounter = createRateCounters({ networksOf, log: site.log });
      const app = wrapApp(createApp({ ...options, listenerCache, networksOf, createRateCounter }));
      // Health checks in HTTP/1.0 have no `Host`.
      const { host: hostname } = new URL(site.config.origin);
      const cacheOrApp = listenerCache.wrap(getRequestListener(app.fetch, { hostname }));
      const countRequest = createRateCounter(rateLimits.requests);
      const parts = { ...admission, countRequest, networksOf, recordRequest, onRefused };
      const admit = admitRequests(cacheOrApp, parts);
      return function shareOpenData(request, response) {
        if (isOpenData(request.url)) response.setHeader("Access-Control-Allow-Origin", "*");
        return admit(request, response);
      };
    },
  });
}
