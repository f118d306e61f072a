import { once } from "node:events";
import { createServer } from "node:net";
import pRetry from "p-retry";
import pg from "pg";
import type { Logger } from "pino";
import { findBinaries } from "./embedded/binaries.server.ts";
import { ensureCluster } from "./embedded/cluster.server.ts";
import { openDataFolder } from "./embedded/data-folder.server.ts";
import {
  EMBEDDED_NAME,
  embeddedPaths,
  embeddedUrl,
  type Facts,
  readFacts,
  writeFacts,
} from "./embedded/facts.server.ts";
import { keepRunning } from "./embedded/keep-running.server.ts";
import { stopLeftover } from "./embedded/leftover.server.ts";
import { boundLogFile } from "./embedded/log-file.server.ts";
import { findRunAs } from "./embedded/run-as.server.ts";
import { type RunningServer, ServerStartFailure, startServer } from "./embedded/server.server.ts";
import { messageOf } from "./error-message.server.ts";
import { DatabaseStartError } from "./start-error.server.ts";

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

/** For a small machine: one application with a pool of ten, its tools, and nobody else. */
const usualSettings = {
  max_connections: "60",
  shared_buffers: "64MB",
  maintenance_work_mem: "32MB",
  max_wal_size: "256MB",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  max_parallel_workers_per_gather: "0",
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_line_prefix: "%m [%p] ",
};

/**
 * Starts the embedded server of a data folder, making what is missing. It dies with this process, however that ends.
 * @throws DatabaseStartError in one line; DataFolderInUse (one of them) when another process has the folder
 */
export async function startEmbeddedPostgres({ dataDir, log, settings }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { folder, release } = await openDataFolder(dataDir);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await running;
    await release();
  };
  try {
    const start = await prepare(folder, log, { ...usualSettings, ...settings }, stopping.signal);
    const { server, facts } = await start.first();
    running = keepRunning({ server, restart: () => start.onPort(facts.port), log, signal: stopping.signal });
    await ensureDatabase(facts);
    return { url: embeddedUrl(facts), stop };
  } catch (error) {
    await stop();
    if (error instanceof DatabaseStartError) throw error;
    throw new DatabaseStartError(`The embedded database does not start: ${messageOf(error)}`, { cause: error });
  }
}

interface Starts {
  /** Starts the server on the port it had, or where that is taken on another, and writes down how to connect. */
  first(): Promise<{ server: RunningServer; facts: Facts }>;
  onPort(port: number): Promise<RunningServer>;
}

async function prepare(
  folder: string,
  log: Logger,
  settings: Record<string, string>,
  signal: AbortSignal,
): Promise<Starts> {
  const { cluster, log: logFile, libraries } = embeddedPaths(folder);
  const binaries = await findBinaries(libraries);
  const runAs = await findRunAs(binaries, folder);
  await stopLeftover(cluster, log);
  const password = await ensureCluster({ dataDir: folder, binaries, runAs, log });
  await boundLogFile(logFile, signal);

  const onPort = async (port: number) => {
    const unrelatedPid = await stopLeftover(cluster, log);
    return startServer({ cluster, logFile, port, binaries, runAs, settings, unrelatedPid, signal });
  };
  const first = async () => {
    const usual = (await readFacts(folder))?.port;
    const { server, port } = await onSomePort(onPort, usual, logFile);
    await writeFacts(folder, { port, password }, runAs);
    return { server, facts: { port, password } };
  };
  return { first, onPort };
}

/** What another try may mend: somebody took the port in between, or processes of a killed server are not gone yet. */
const passing = /could not create any TCP\/IP sockets|shared memory block .* still in use|lock file .* already exists/;

async function onSomePort(start: (port: number) => Promise<RunningServer>, usual: number | undefined, logFile: string) {
  const attempt = async (number: number) => {
    const port = number === 1 && usual ? usual : await freePort();
    return { server: await start(port), port };
  };
  const isPassing = (error: unknown) => error instanceof ServerStartFailure && passing.test(error.message);
  try {
    return await pRetry(attempt, {
      retries: 12,
      minTimeout: 50,
      maxTimeout: 1_000,
      shouldRetry: ({ error }) => isPassing(error),
    });
  } catch (error) {
    if (!(error instanceof ServerStartFailure)) throw error;
    throw new DatabaseStartError(`The embedded database does not start: ${error.reason} (its log: ${logFile})`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
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
