import type { RequestListener } from "node:http";
import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Config } from "../config/environment.server.ts";
import { createRecordRefusal } from "../http/admission/record-refusals.server.ts";
import { createRequestRecorder } from "../http/observability/record-requests.server.ts";
import type { AppOptions } from "./app.server.ts";
import { createMetrics, type Metrics } from "./metrics.server.ts";
import { createReadiness } from "./readiness.server.ts";

/** What a listener serves from. */
interface SiteParts extends Pick<AppOptions, "catalogue" | "notes" | "onWritten" | "db" | "signingKeys"> {
  pool: Pool;
  /** The database server's version, for example `17.6 (Debian 17.6-0+deb13u1)`. */
  postgresVersion: string;
}

export interface CreateListenerOptions {
  config: Config;
  log: Logger;
  clientFiles?: string;
  createListener: (options: AppOptions) => RequestListener;
  isStopping: () => boolean;
  parts: SiteParts;
}

/** Creates the listener that serves requests, with its readiness and metrics. */
export function createSiteListener(options: CreateListenerOptions): {
  listener: RequestListener;
  metrics: Metrics;
} {
  const { config, log, clientFiles, createListener, isStopping, parts } = options;
  const { pool, postgresVersion, ...appParts } = parts;
  const readiness = createReadiness({ ...parts, isStopping, log });
  const { catalogue, db } = parts;
  const metrics = createMetrics({ catalogue, db, pool, readiness, postgresVersion });
  const listener = createListener({
    ...config,
    ...(clientFiles && { clientFiles }),
    ...appParts,
    readiness,
    metrics,
    recordRequest: createRequestRecorder(metrics.observeRequest, log),
    onRefused: createRecordRefusal(log, metrics.countRefusal),
    log,
  });
  return { listener, metrics };
}
