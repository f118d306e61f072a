import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type LogConfig, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { Logger } from "pino";
import { untilAborted } from "../lib/bounded-wait.ts";
import { messageOf, OperatorError } from "../lib/error-message.ts";
import { canConnect, waitForServer } from "./connection/check-server.server.ts";
import { checkSessions } from "./connection/check-sessions.server.ts";
import { describeServer } from "./connection/database-url.server.ts";
import { createPool } from "./connection/pool.server.ts";
import { embeddedUrl, readConnectionInfo } from "./embedded/connection-info.server.ts";
import { DataFolderInUseError } from "./embedded/data-folder.server.ts";
import { startEmbeddedPostgres } from "./embedded/start-embedded-postgres.server.ts";
import { migrate } from "./migrations/migrate.server.ts";
import type { Db, Schema } from "./schema.server.ts";

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
  databaseUrl: string | undefined;
  databaseDirectUrl?: string | undefined;
  dataDir: string;
  log: Logger;
  /** The site owns its data folder. Commands join the server of a running site, and use no pooler. */
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

/** How long to wait for the end of a command, or of a site that was just killed. */
const PATIENCE_MS = 1_000;

async function findSource(options: OpenOptions): Promise<Source> {
  const { databaseUrl, sharing, signal } = options;
  if (databaseUrl) return untilAborted(signal, findServer(databaseUrl, options));
  return sharing === "own"
    ? startEmbeddedPostgres({ ...options, patience: PATIENCE_MS })
    : joinEmbedded(options);
}

async function findServer(databaseUrl: string, { databaseDirectUrl, log, sharing }: OpenOptions) {
  const wait = (url: string, setting: string) => waitForServer(url, log, undefined, setting);
  const directUrl = await (databaseDirectUrl
    ? wait(databaseDirectUrl, "DATABASE_DIRECT_URL")
    : wait(databaseUrl, "DATABASE_URL"));
  const url = databaseDirectUrl && sharing === "own" ? await wait(databaseUrl, "DATABASE_URL") : directUrl;
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

const JOIN_TIMEOUT_MS = 30_000;

async function joinEmbedded(options: OpenOptions): Promise<Source> {
  const { dataDir, signal } = options;
  for (const since = performance.now(); ; await pause(100, undefined, { signal })) {
    try {
      return await startEmbeddedPostgres(options);
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error;
      const url = await untilAborted(signal, findRunning(dataDir));
      if (url !== null) return { url, stop: async () => {} };
      if (performance.now() - since > JOIN_TIMEOUT_MS) {
        throw new OperatorError(
          `The database of the running Front Row (${error.holder}) is unavailable from here: run this in its container, or stop it first.`,
        );
      }
    }
  }
}

/** Null if no server answers, as in another container. */
async function findRunning(dataDir: string): Promise<string | null> {
  const info = await readConnectionInfo(dataDir);
  if (!info) return null;
  const url = embeddedUrl(info);
  return (await canConnect(url)) ? url : null;
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
