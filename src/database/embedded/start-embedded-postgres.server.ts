import { randomInt } from "node:crypto";
import { copyFile, type FileHandle, rm, stat, truncate } from "node:fs/promises";
import pRetry from "p-retry";
import type { Logger } from "pino";
import { messageOf, OperatorError } from "../../lib/error-message.ts";
import { createCheckClient } from "../connection/check-server.server.ts";
import { findBinaries, warnOfOldRelease } from "./binaries.server.ts";
import { ensureCluster } from "./cluster.server.ts";
import {
  type ConnectionInfo,
  EMBEDDED_NAME,
  embeddedUrl,
  readConnectionInfo,
  writeConnectionInfo,
} from "./connection-info.server.ts";
import { type FolderOptions, openDataFolder } from "./data-folder.server.ts";
import { lockCluster } from "./lock-file.server.ts";
import { embeddedPaths } from "./paths.server.ts";
import {
  type RunningServer,
  restartOnExit,
  ServerStartError,
  startServer,
} from "./postgres-process.server.ts";
import { findRunAs } from "./run-as.server.ts";

interface EmbeddedOptions extends FolderOptions {
  dataDir: string;
  log: Logger;
  signal?: AbortSignal | undefined;
  settings?: Record<string, string>;
}

const defaultSettings: Record<string, string> = {
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
  // Otherwise errors quote stored values, such as e-mail addresses.
  log_error_verbosity: "terse",
};

/** The server shuts down with this process, even after a SIGKILL. @throws OperatorError */
export async function startEmbeddedPostgres(options: EmbeddedOptions) {
  const { dataDir, log, signal: stopped } = options;
  const settings = { ...defaultSettings, ...options.settings };
  const { folder, release } = await openDataFolder(dataDir, options);
  const stopping = new AbortController();
  const { signal } = stopping;
  const abort = () => stopping.abort();
  stopped?.addEventListener("abort", abort);
  let running: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await running;
    await release();
  };
  try {
    stopped?.throwIfAborted();
    const { start, password, runAs } = await prepare(folder, log, settings, signal);
    const { server, port } = await startOnAvailablePort(start, (await readConnectionInfo(folder))?.port);
    running = restartOnExit({ server, restart: () => start(port), log, signal });
    const info = { port, password };
    await writeConnectionInfo(folder, info, runAs);
    await ensureDatabase(info);
    warnOfOldRelease(log);
    // The URL contains the password, and stays the same after a restart. Close all connections before `stop`.
    return { url: embeddedUrl(info), stop };
  } catch (error) {
    await stop();
    throw startError(error, folder);
  } finally {
    stopped?.removeEventListener("abort", abort);
  }
}

async function prepare(folder: string, log: Logger, settings: Record<string, string>, signal: AbortSignal) {
  const { log: logFile, libraries } = embeddedPaths(folder);
  const binaries = await findBinaries(libraries);
  const runAs = await findRunAs(binaries, folder);
  const whileLocked = async <T>(use: (lock: FileHandle) => Promise<T>) => {
    const lock = await lockCluster(folder, signal);
    return use(lock).finally(() => lock.close());
  };
  const password = await whileLocked(() => ensureCluster({ dataDir: folder, binaries, runAs, log, signal }));
  await rotateLogFile(logFile, signal);
  const start = (port: number) =>
    whileLocked((lock) => startServer({ dataDir: folder, port, binaries, runAs, settings, lock, signal }));
  return { start, password, runAs };
}

const MAX_BYTES = 4 * 1024 * 1024;
const CHECK_INTERVAL_MS = 60_000;

/** Copies and truncates, because the server keeps the file open. */
async function rotateLogFile(file: string, signal: AbortSignal): Promise<void> {
  await rotateIfLarge(file);
  const timer = setInterval(() => void rotateIfLarge(file), CHECK_INTERVAL_MS).unref();
  signal.addEventListener("abort", () => clearInterval(timer));
}

async function rotateIfLarge(file: string): Promise<void> {
  try {
    if ((await stat(file)).size <= MAX_BYTES) return;
    await rm(`${file}.1`, { force: true });
    await copyFile(file, `${file}.1`);
    await truncate(file);
  } catch {
    // No log yet, or a full disk: the next check retries.
  }
}

const portError = /could not create any TCP\/IP sockets/;

/** Below the ports of outgoing connections: one of those could take the port of a server that restarts. */
const randomPort = () => randomInt(20_000, 32_000);

function startOnAvailablePort(
  start: (port: number) => Promise<RunningServer>,
  preferred: number | undefined,
): Promise<{ server: RunningServer; port: number }> {
  const attempt = async (number: number) => {
    const port = number === 1 && preferred ? preferred : randomPort();
    return { server: await start(port), port };
  };
  return pRetry(attempt, {
    retries: 12,
    minTimeout: 50,
    maxTimeout: 1_000,
    shouldRetry: ({ error }) => error instanceof ServerStartError && portError.test(error.message),
  });
}

function startError(error: unknown, folder: string): OperatorError {
  if (error instanceof OperatorError) return error;
  const log = embeddedPaths(folder).log;
  return new OperatorError(`The embedded database does not start: ${messageOf(error)} (its log: ${log})`, {
    cause: error,
  });
}

async function ensureDatabase(info: ConnectionInfo): Promise<void> {
  // Creating it copies a template, which takes long on a slow disk.
  const client = createCheckClient(embeddedUrl(info, "postgres"), 30_000);
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [EMBEDDED_NAME]);
    if (rowCount === 0) await client.query(`create database ${EMBEDDED_NAME}`);
  } finally {
    await client.end();
  }
}
