/*
 * `npm run dev`: the product with hot reload. The same world as `npm start` makes, and the same site in it, but its code
 * comes from Vite as it is written.
 */
import type { RequestListener } from "node:http";
import { getRequestListener } from "@hono/node-server";
import pretty from "pino-pretty";
import { createServer as createVite, type ViteDevServer } from "vite";
import { parseConfig, readEnvironment } from "../src/config/environment.server.ts";
import { requireProductionCredentials } from "../src/config/production-credentials.server.ts";
import { createLogger } from "../src/lib/logger.server.ts";
import type { AppOptions } from "../src/server/app.server.ts";
import { startSite } from "../src/server/start.server.ts";
import { makeWorld } from "./local-environment.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

async function develop(signal: AbortSignal): Promise<number> {
  const environment = readEnvironment();
  const config = parseConfig(environment);
  const log = createLogger(config.logLevel, pretty({ ignore: "pid,hostname", singleLine: true }));
  await using world = await makeWorld(config, log, signal);
  const inWorld = parseConfig({ ...environment, ...world.variables });
  const vite = await createVite({ server: { middlewareMode: true }, appType: "custom" });
  const createListener = (options: AppOptions) => developmentListener(vite, options);
  const festivalApi = requireProductionCredentials(inWorld);
  const stop = await startSite({ config: inWorld, festivalApi, log, createListener });
  console.log(`\nFront Row is open at ${config.origin}, and follows every change (Ctrl-C stops it)`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await vite.close();
  await stop();
  return 0;
}

/** Vite answers for the browser's modules, the app as it now is for everything else. */
function developmentListener(vite: ViteDevServer, options: AppOptions): RequestListener {
  return (request, response) => {
    vite.middlewares(request, response, async () => {
      const { createApp }: typeof import("../src/server/app.server.ts") = await loadApp(vite);
      await getRequestListener(createApp(options).fetch)(request, response);
    });
  };
}

async function loadApp(vite: ViteDevServer) {
  const { createApp } = await vite.ssrLoadModule("/src/app.server.ts");
  return { createApp };
}

await runUntilStopped(develop);
