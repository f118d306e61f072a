import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type LogConfig, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { Logger } from "pino";
import { untilAborted } from "../lib/bounded-wait.ts";
import { messageOf } from "../lib/error-message.ts";
import { OperatorError } from "../lib/operator-error.ts";
import { canConnect, checkSessions, waitForServer } from "./connection/check-server.server.ts";
import { describeServer } from "./connection/database-url.server.ts";
import { createPool } from "./connection/pool.server.ts";
import { migrate } from "./migrations/migrate.server.ts";
import type { Db, Schema } from "./schema.server.ts";
import { findTrialUrl, startTrialPostgres } from "./trial/trial-postgres.server.ts";

export interface Database {
  db: Db;
  pool: pg.Pool;
  /** May contain a password: never log it. */
  url: string;
  /** For sessions that last. Equal to `url` without a pooler. */
  directUrl: string;
  dropConnections(): void;
  close(): Promise<void>;
}

interface ConnectOptions {
  /** In ms; 0 means no limit. */
  responseTimeout?: number;
  logQueries?: LogConfig;
  databasePoolSize?: number;
  directUrl?: string;
}

export interface OpenOptions extends ConnectOptions {
  /** Without it, the trial database of `dataDir`. */
  databaseUrl: string | undefined;
  databaseDirectUrl?: string | undefined;
  dataDir: string;
  log: Logger;
  /** Commands join the trial database of a running site, and use no pooler. */
  sharing: "own" | "join";
  /** Refuses a data folder without a database. */
  mustExist?: boolean;
  signal?: AbortSignal | undefined;
}

interface Source {
  url: string;
  directUrl?: string;
  stop(): Promise<void>;
}

/** Runs the pending migrations. @throws OperatorError, or the reason of an aborted signal */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const { log, signal } = options;
  const source = await findSource(options).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  let close = source.stop;
  try {
    const { url, directUrl = url } = source;
    await migrate(directUrl, { log, signal });
    const database = connectDatabase(url, log, source.stop, { ...options, directUrl });
    close = database.close;
    if (options.sharing === "own") await warnOfCollationVersion(database.db, log);
    return database;
  } catch (error) {
    await close();
    throw error;
  }
}

async function findSource(options: OpenOptions): Promise<Source> {
  const { databaseUrl, dataDir, sharing, signal } = options;
  if (databaseUrl) return untilAborted(signal, findServer(databaseUrl, options));
  const url = sharing === "join" ? await findTrialUrl(dataDir) : null;
  if (url && (await untilAborted(signal, canConnect(url)))) return { url, stop: async () => {} };
  return startTrialPostgres(options);
}

async function findServer(databaseUrl: string, { databaseDirectUrl, log, sharing }: OpenOptions) {
  const directUrl = databaseDirectUrl ?? databaseUrl;
  await waitForServer(directUrl, log, undefined, databaseDirectUrl ? "DATABASE_DIRECT_URL" : "DATABASE_URL");
  const url = sharing === "own" ? databaseUrl : directUrl;
  if (url !== directUrl) await waitForServer(url, log);
  try {
    await checkSessions(url, directUrl);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const server = describeServer(url);
    throw new OperatorError(
      `The database at ${server} cannot be used: ${messageOf(error)}. Check DATABASE_URL.`,
    );
  }
  return { url, directUrl, stop: async () => {} };
}

/** After an upgrade of the operating system, indexes may have a wrong order and miss rows. */
async function warnOfCollationVersion(db: Db, log: Logger): Promise<void> {
  const { rows } = await sql<{ database: string; recorded: string; actual: string }>`
    select quote_ident(datname) as database, datcollversion as recorded, actual
    from pg_database, pg_database_collation_actual_version(oid) as actual
    where datname = current_database() and datcollversion <> actual`.execute(db);
  for (const { database, recorded, actual } of rows)
    log.warn(
      { recorded, actual },
      `The collation's version is not that of the database's indexes: run REINDEX DATABASE ${database}; then ALTER DATABASE ${database} REFRESH COLLATION VERSION;`,
    );
}

const CLOSE_TIMEOUT_MS = 5_000;

export function connectDatabase(
  url: string,
  log: Logger,
  onClosed: () => Promise<void>,
  { responseTimeout, logQueries, directUrl = url, databasePoolSize = 10 }: ConnectOptions = {},
): Database {
  const { pool, dropConnections } = createPool({
    url,
    name: "front-row",
    max: databasePoolSize,
    log,
    lostMessage: "An idle database connection was lost",
    responseTimeout,
    sharesSessions: directUrl !== url,
  });
  return {
    db: new Kysely<Schema>({
      dialect: new PostgresDialect({ pool }),
      ...(logQueries && { log: logQueries }),
    }),
    pool,
    url,
    directUrl,
    dropConnections,
    async close() {
      // A stuck connection must not block the shutdown.
      await Promise.race([pool.end(), pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
      await onClosed();
    },
  };
}
