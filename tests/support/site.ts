import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Kysely, sql } from "kysely";
import { freePort } from "../../dev/harness/free-port.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { bareEnvironment } from "./environment.ts";
import { hasExited, waitUntilReady } from "./wait-until-ready.ts";

const main = fileURLToPath(new URL("../../build/server/main.js", import.meta.url));

/** The built server in a process of its own, as production runs it. */
export interface Site {
  origin: string;
  process: ChildProcess;
  /** A request to the API with the public client key. */
  api(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The lines that it has logged so far. */
  log: string[];
  /**
   * Sends a signal (SIGTERM). Resolves with the exit code, or the signal that killed it, once it has exited.
   */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/**
 * Starts a server with these variables, on a free port unless `PORT` is among them. Resolves when it is
 * healthy.
 * @param program the built server; another build's if it is not this one
 */
export async function startSite(variables: Record<string, string>, program = main): Promise<Site> {
  const port = variables.PORT ?? String(await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [program], {
    env: {
      ...bareEnvironment(),
      ...operatorSettings,
      ...unreachableFestival,
      PORT: port,
      ORIGIN: origin,
      ...variables,
    },
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
    api: (path, headers = {}) =>
      fetch(`${origin}${path}`, { headers: { apikey: "front-row-public", ...headers } }),
    async stop(signal = "SIGTERM") {
      if (hasExited(child)) return child.exitCode ?? child.signalCode;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
      return child.exitCode ?? child.signalCode;
    },
  };
}

/** Who runs the servers of the tests. */
export const operatorSettings = {
  OPERATOR_NAME: "Ada Operator",
  OPERATOR_ADDRESS: "1 Stage Door Lane, Edinburgh EH1 1AA",
  OPERATOR_EMAIL: "ada@front-row.example",
};

/** A festival API that cannot be reached: enough for a server that has no reason to refresh. */
export const unreachableFestival = {
  FESTIVAL_API_URL: "http://127.0.0.1:9",
  FESTIVAL_API_KEY: "test",
  FESTIVAL_API_SECRET: "test",
  ALLOW_LOOPBACK_PROVIDERS: "1",
};

/** Inserts a run that has just succeeded, so that a server does not refresh. */
export async function recordRecentRefresh(db: Kysely<Schema>): Promise<void> {
  await sql`insert into refreshes (finished_at, outcome) values (now(), 'succeeded')`.execute(db);
}
