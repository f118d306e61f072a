/** `npm run dev`: the site with hot reload, in the environment of `npm start`. */
import type { RequestListener, ServerResponse } from "node:http";
import { resolve, sep } from "node:path";
import process from "node:process";
import { stripVTControlCharacters } from "node:util";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import pretty from "pino-pretty";
import { createServer as createVite, type ViteDevServer } from "vite";
import { parseConfig, readEnvironment } from "../src/config/environment.server.ts";
import { applyNetworkSettings } from "../src/config/network-settings.server.ts";
import { requireProductionCredentials } from "../src/config/production-credentials.server.ts";
import { messageOf } from "../src/lib/error-message.ts";
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
  const dataDir = resolve(config.dataDir);
  const vite = await createVite({
    // The files of the database change all the time.
    server: { middlewareMode: true, watch: { ignored: (path) => `${path}${sep}`.startsWith(dataDir + sep) } },
    appType: "custom",
  });
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

function developmentListener(
  vite: ViteDevServer,
  options: AppOptions,
  wrapApp: (app: Hono) => Hono,
): RequestListener {
  return (request, response) => {
    vite.middlewares(request, response, async () => {
      try {
        const { createApp }: typeof import("../src/server/app.server.ts") = await loadApp(vite);
        const app = wrapApp(createApp(options));
        // Vite adds its client to what is sent as text.
        request.headers["accept-encoding"] = "identity";
        await getRequestListener(async (...args) => addViteClient(vite, await app.fetch(...args)))(
          request,
          response,
        );
      } catch (error) {
        sendSourceError(vite, error, response);
      }
    });
  };
}

async function addViteClient(vite: ViteDevServer, response: Response): Promise<Response> {
  const isPage = response.headers.get("Content-Type")?.startsWith("text/html") && response.body;
  if (!isPage) return response;
  // Hydration would stumble over white space between them.
  const scripts = (await vite.transformIndexHtml("/", "")).trim().replace(/>\s+</g, "><");
  const html = (await response.text()).replace("<head>", (head) => head + scripts);
  const { status, headers } = response;
  headers.delete("Content-Length");
  return new Response(html, { status, headers });
}

/** Sends the error of a source file, until the file changes again. */
function sendSourceError({ config }: ViteDevServer, error: unknown, response: ServerResponse): void {
  const text = stripVTControlCharacters(messageOf(error));
  if (!(error instanceof Error && config.logger.hasErrorLogged(error))) config.logger.error(text);
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
}

async function loadApp(vite: ViteDevServer) {
  const { createApp } = await vite.ssrLoadModule("/src/server/app.server.ts");
  return { createApp };
}

await runUntilStopped(develop);
