import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type LogConfig, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { canConnect, waitForServer } from "./connection/check-server.server.ts";
import { RESPONSE_TIMEOUT_MS, setResponseTimeout } from "./connection/response-timeout.server.ts";
import { DatabaseStartError } from "./database-start-error.server.ts";
import { embeddedUrl, readConnectionInfo } from "./embedded/connection-info.server.ts";
import { DataFolderInUseError, findLockHolder } from "./embedded/data-folder-lock.server.ts";
import { startEmbeddedPostgres } from "./embedded/start-embedded-postgres.server.ts";
import { migrate } from "./migrations/migrate.server.ts";
import type { Schema } from "./schema.server.ts";

export interface Database {
  db: Kysely<Schema>;
  pool: pg.Pool;
  /** May contain the password: never log it. */
  url: string;
  /** Closes the connections, then stops the embedded server if this process started it. */
  close(): Promise<void>;
}

interface ConnectOptions {
  /** How long a connection may wait for a response before it is destroyed, in ms; 0 means no limit. */
  responseTimeout?: number;
  /** Called for every query. Tests count queries with it. */
  logQueries?: LogConfig;
}

export interface OpenOptions extends ConnectOptions {
  /** Undefined selects the embedded server in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  log: Logger;
  /**
   * How to use the embedded server. `own` (the app) requires exclusive use of the data folder. `join` (the
   * commands) connects to the server of a running app, and starts one only if there is none.
   */
  sharing: "own" | "join";
}

/** A database URL, and how to stop the server behind it if this process started it. */
interface Source {
  url: string;
  stop(): Promise<void>;
}

/**
 * Opens the database and runs the pending migrations.
 * @throws DatabaseStartError with a message of one line
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const source = await findSource(options);
  try {
    await migrate(source.url, { log: options.log });
  } catch (error) {
    await source.stop();
    throw error;
  }
  return connectDatabase(source.url, options.log, source.stop, options);
}

async function findSource({ databaseUrl, dataDir, log, sharing }: OpenOptions): Promise<Source> {
  if (!databaseUrl) return sharing === "own" ? startEmbeddedPostgres({ dataDir, log }) : joinEmbedded(dataDir, log);
  await waitForServer(databaseUrl, log);
  return { url: databaseUrl, stop: async () => {} };
}

/** How long a command waits for the database of a running app, in ms. */
const JOIN_TIMEOUT_MS = 30_000;

/**
 * Connects to the server of the process that holds the data folder's lock, or starts one if no process does.
 * Polls, because that process may still be starting up or about to stop.
 */
async function joinEmbedded(dataDir: string, log: Logger): Promise<Source> {
  for (const since = performance.now(); ; await pause(100)) {
    const holder = await findLockHolder(dataDir).catch(() => null); // the folder does not exist yet
    if (holder === null) {
      const started = await startUnlessInUse(dataDir, log);
      if (started) return started;
    } else {
      const info = await readConnectionInfo(dataDir);
      if (info && (await canConnect(embeddedUrl(info)))) return { url: embeddedUrl(info), stop: async () => {} };
      if (performance.now() - since > JOIN_TIMEOUT_MS) {
        throw new DatabaseStartError(`The database of the running Front Row (process ${holder}) does not respond.`);
      }
    }
  }
}

async function startUnlessInUse(dataDir: string, log: Logger): Promise<Source | null> {
  return startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => {
    if (error instanceof DataFolderInUseError) return null;
    throw error;
  });
}

/** Limit for a statement, and for an idle transaction, in ms. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** How long `close` waits for queries in flight, in ms. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * Creates a connection pool of at most ten connections. Lost connections are logged and never end the
 * process; queries fail until the server is back.
 * @param onClosed called by `close` once the connections are closed
 */
export function connectDatabase(
  url: string,
  log: Logger,
  onClosed: () => Promise<void>,
  { responseTimeout = RESPONSE_TIMEOUT_MS, logQueries }: ConnectOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 20_000,
    keepAlive: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    application_name: "front-row",
  });
  pool.on("error", (error) => {
    if (!pool.ending) log.warn({ error: error.message }, "An idle database connection was lost");
  });
  // The pool handles errors of idle connections only. Without a listener, a connection that breaks between
  // two queries of a transaction would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("connect", (client) => setResponseTimeout(client, responseTimeout));
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), ...(logQueries && { log: logQueries }) }),
    pool,
    url,
    async close() {
      // A stuck connection must not block the shutdown.
      await Promise.race([pool.end(), pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await onClosed();
    },
  };
}
