/*
 * `npm run dev`: the product with hot reload. It uses the same local environment and site as `npm start`, but
 * Vite serves the code as it is written.
 */
import type { RequestListener } from "node:http";
import process from "node:process";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import pretty from "pino-pretty";
import { createServer as createVite, type ViteDevServer } from "vite";
import { parseConfig, readEnvironment } from "../src/config/environment.server.ts";
import { applyNetworkSettings } from "../src/config/network-settings.server.ts";
import { requireProductionCredentials } from "../src/config/production-credentials.server.ts";
import { createLogger } from "../src/lib/logger.server.ts";
import type { AppOptions } from "../src/server/app.server.ts";
import { startSite } from "../src/server/start-site.server.ts";
import { putFakesBehind } from "./fake-identity-providers/behind-site.ts";
import { createLocalEnvironment } from "./local-environment.ts";
import { runUntilStopped } from "./run-until-stopped.ts";

async function develop(signal: AbortSignal): Promise<number> {
  const environment = readEnvironment();
  applyNetworkSettings(environment);
  const config = parseConfig(environment);
  const log = createLogger(
    config.logLevel,
    pretty({ ignore: "pid,hostname", singleLine: true, destination: process.stdout }),
  );
  await using local = await createLocalEnvironment(config, log, signal);
  const serverConfig = parseConfig({ ...environment, ...local.variables });
  const vite = await createVite({ server: { middlewareMode: true }, appType: "custom" });
  const { fakes } = local;
  const wrapApp = (app: Hono) => (fakes ? putFakesBehind(app, fakes) : app);
  const createListener = (options: AppOptions) => developmentListener(vite, options, wrapApp);
  const festivalApi = requireProductionCredentials(serverConfig);
  const stop = await startSite({ config: serverConfig, festivalApi, log, createListener, stopping: signal });
  console.log(`\nFront Row is open at ${config.origin}, and reloads after every change (Ctrl-C stops it)`);
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await vite.close();
  await stop();
  return 0;
}

/** Vite serves the browser's modules; the app, in its current version, serves everything else. */
function developmentListener(
  vite: ViteDevServer,
  options: AppOptions,
  wrapApp: (app: Hono) => Hono,
): RequestListener {
  return (request, response) => {
    vite.middlewares(request, response, async () => {
      const { createApp }: typeof import("../src/server/app.server.ts") = await loadApp(vite);
      await getRequestListener(wrapApp(createApp(options)).fetch)(request, response);
    });
  };
}

async function loadApp(vite: ViteDevServer) {
  const { createApp } = await vite.ssrLoadModule("/src/server/app.server.ts");
  return { createApp };
}

await runUntilStopped(develop);
