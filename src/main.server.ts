import process from "node:process";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { pino } from "pino";
import { parseConfig, readEnvironment } from "./config/environment.server.ts";
import { requireProductionCredentials } from "./config/production-credentials.server.ts";
import { refuseOverload } from "./http/admission/refuse-overload.server.ts";
import { createReplay } from "./http/cache/replay.server.ts";
import { createLogger } from "./lib/logger.server.ts";
import { createApp } from "./server/app.server.ts";
import { startSite } from "./server/start.server.ts";
import { isStartError } from "./server/startup-error.server.ts";

/** Built beside the server. */
const clientFiles = fileURLToPath(new URL("../client", import.meta.url));

/** `npm run serve`: the built site as one process, until a signal ends it. Built, as build/server/main.js, or it does not run. */
async function main(): Promise<void> {
  const config = parseConfig(readEnvironment());
  const festivalApi = requireProductionCredentials(config);
  // Synchronous: otherwise what is still to be written when the process exits is waited for, for ever when nobody reads it.
  const log = createLogger(config.logLevel, pino.destination({ dest: 1, sync: true }));
  const stop = await startSite({
    config,
    festivalApi,
    log,
    createListener(options) {
      const replay = createReplay(options.noteRequest);
      const app = createApp({ ...options, clientFiles, replay });
      return refuseOverload(replay.inFrontOf(getRequestListener(app.fetch)), options);
    },
  });

  let isStopping = false;
  const endWithin = (ms: number) => {
    if (isStopping) return;
    isStopping = true;
    log.info("Stopping");
    setTimeout(() => process.exit(1), ms);
    void stop().finally(() => process.exit());
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => endWithin(15_000));
  // Started by another program, it tells that one instead of the log. When that program is gone, so are its database and
  // the site: there is nothing left to close in good order.
  process.on("disconnect", () => endWithin(2_000));
  if (process.send) process.send("open");
  else log.info(`Front Row is open at ${config.origin}`);
}

try {
  await main();
} catch (error) {
  console.error(isStartError(error) ? error.message : error);
  process.exit(1);
}
