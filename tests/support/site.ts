import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { freePort } from "../../dev/harness/free-port.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import { requireProductionCredentials } from "../../src/config/production-credentials.server.ts";
import { createLogger } from "../../src/lib/logger.server.ts";
import { strayRejection } from "../../src/server/stray-rejections.server.ts";
import { bareEnvironment } from "./environment.ts";
import { endProcess, waitUntilReady } from "./wait-until-ready.ts";

const built = new URL("../../build/", import.meta.url);

export interface Site {
  origin: string;
  /** Sends the client key. */
  api(path: string, headers?: Record<string, string>, init?: RequestInit): Promise<Response>;
  log: string[];
  stop(): Promise<unknown>;
}

export interface SiteProcess extends Site {
  process: ChildProcess;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

async function complete(variables: Record<string, string>) {
  const port = variables.PORT ?? String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const defaults = { ...operatorSettings, ...unavailableFestival, PORT: port, ORIGIN: origin };
  return { origin, variables: { ...defaults, ...variables } };
}

const api =
  (origin: string) =>
  (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
    fetch(`${origin}${path}`, { ...init, headers: { apikey: "front-row-public", ...headers } });

/** In the test's process: enough for requests. Signals, crashes and the environment need `startSite`. */
export async function openSite(given: Record<string, string>): Promise<Site> {
  const { serveSite }: typeof import("../../src/server/run-site.server.ts") = await import(
    new URL("server/run-site.js", built).href
  );
  const { origin, variables } = await complete(given);
  const config = parseConfig(variables);
  const log: string[] = [];
  const stop = await serveSite({
    config,
    festivalApi: requireProductionCredentials(config),
    log: createLogger(config.logLevel, { write: (line) => void log.push(line.trimEnd()) }),
    clientFiles: fileURLToPath(new URL("client", built)),
  });
  let stopped: Promise<void> | undefined;
  return { origin, api: api(origin), log, stop: () => (stopped ??= stop()) };
}

/** Resolves when the site is healthy. @param program the built server, or another build's */
export async function startSite(
  given: Record<string, string>,
  program = fileURLToPath(new URL("server/main.js", built)),
): Promise<SiteProcess> {
  const { origin, variables } = await complete(given);
  const child = spawn(process.execPath, [program], {
    env: { ...bareEnvironment(), ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => log.push(...text.split("\n").filter(Boolean)));
  }
  await waitUntilReady(origin, child, () => log.join("\n"));
  return {
    origin,
    process: child,
    log,
    api: api(origin),
    async stop(signal) {
      await endProcess(child, signal);
      const stray = log.find((line) => line.includes(strayRejection));
      if (stray) throw new Error(stray);
      return child.exitCode ?? child.signalCode;
    },
  };
}

export const operatorSettings = {
  OPERATOR_NAME: "Ada Operator",
  OPERATOR_ADDRESS: "1 Stage Door Lane, Edinburgh EH1 1AA",
  OPERATOR_EMAIL: "ada@front-row.example",
};

/** Enough for a server that has no reason to refresh. */
export const unavailableFestival = {
  FESTIVAL_API_URL: "http://127.0.0.1:9",
  FESTIVAL_API_KEY: "test",
  FESTIVAL_API_SECRET: "test",
  ALLOW_LOOPBACK_PROVIDERS: "1",
};
