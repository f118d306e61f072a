import pg from "pg";
import type { Logger } from "pino";
import { DatabaseStartError } from "../startup-error.server.ts";
import { findBinaries } from "./binaries.server.ts";
import { startOnSomePort } from "./choose-port.server.ts";
import { ensureCluster } from "./cluster.server.ts";
import { EMBEDDED_NAME, embeddedUrl, type Facts, readFacts, writeFacts } from "./connection-info.server.ts";
import { openDataFolder } from "./data-folder.server.ts";
import { boundLogFile } from "./log-file.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import { startProblem, startServer } from "./postgres-process.server.ts";
import { usualSettings } from "./postgres-settings.server.ts";
import { keepRunning } from "./restart-on-exit.server.ts";
import { findRunAs } from "./run-as.server.ts";
import { stopLeftover } from "./stop-orphan.server.ts";

/** A PostgreSQL server of our own, started again on the same port whenever it ends by itself. */
export interface EmbeddedPostgres {
  /** Stays the same until `stop`. It holds the password: never log it. */
  url: string;
  /** Shuts the server down and gives the data folder free. Close the connections first. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log: Logger;
  /** PostgreSQL settings over the usual ones. */
  settings?: Record<string, string>;
}

/**
 * Starts the embedded server of a data folder, making what is missing. It dies with this process, however that ends.
 * @throws DatabaseStartError in one line; DataFolderInUse (one of them) when another process has the folder
 */
export async function startEmbeddedPostgres({ dataDir, log, settings }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { folder, release } = await openDataFolder(dataDir);
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await running;
    await release();
  };
  try {
    const { start, password, runAs } = await prepare(folder, log, { ...usualSettings, ...settings }, signal);
    const { server, port } = await startOnSomePort(start, (await readFacts(folder))?.port);
    running = keepRunning({ server, restart: () => start(port), log, signal });
    const facts = { port, password };
    await writeFacts(folder, facts, runAs);
    await ensureDatabase(facts);
    return { url: embeddedUrl(facts), stop };
  } catch (error) {
    await stop();
    throw startError(error, folder);
  }
}

/** Everything up to the start of the server itself, which may happen more than once. */
async function prepare(folder: string, log: Logger, settings: Record<string, string>, signal: AbortSignal) {
  const { cluster, log: logFile, libraries } = embeddedPaths(folder);
  const binaries = await findBinaries(libraries);
  const runAs = await findRunAs(binaries, folder);
  await stopLeftover(cluster, log);
  const password = await ensureCluster({ dataDir: folder, binaries, runAs, log });
  await boundLogFile(logFile, signal);
  const start = async (port: number) => {
    const unrelatedPid = await stopLeftover(cluster, log);
    return startServer({ cluster, logFile, port, binaries, runAs, settings, unrelatedPid, signal });
  };
  return { start, password, runAs };
}

function startError(error: unknown, folder: string): DatabaseStartError {
  if (error instanceof DatabaseStartError) return error;
  const log = embeddedPaths(folder).log;
  return new DatabaseStartError(`The embedded database does not start: ${startProblem(error)} (its log: ${log})`, {
    cause: error,
  });
}

async function ensureDatabase(facts: Facts): Promise<void> {
  const client = new pg.Client({ connectionString: embeddedUrl(facts, "postgres"), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {}); // the query fails too
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [EMBEDDED_NAME]);
    if (rowCount === 0) await client.query(`create database ${EMBEDDED_NAME}`);
  } finally {
    await client.end();
  }
}
