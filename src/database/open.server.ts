import { setTimeout as pause } from "node:timers/promises";
import { Kysely, type LogConfig, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { canConnect, requireUsable } from "./connection/check-server.server.ts";
import { ANSWER_MS, closeWhenDeaf } from "./connection/response-timeout.server.ts";
import { embeddedUrl, readFacts } from "./embedded/connection-info.server.ts";
import { DataFolderInUse, findClaimant } from "./embedded/data-folder-lock.server.ts";
import { startEmbeddedPostgres } from "./embedded/start.server.ts";
import { migrate } from "./migrations/migrate.server.ts";
import type { Schema } from "./schema.server.ts";
import { DatabaseStartError } from "./startup-error.server.ts";

export interface Database {
  db: Kysely<Schema>;
  pool: pg.Pool;
  /** It may hold a password: never log it. */
  url: string;
  /** Closes the connections, then the embedded server if this process started it. */
  close(): Promise<void>;
}

interface ConnectOptions {
  /** After how long without an answer a connection is given up, in ms; 0 is never. Longer than any statement unless given. */
  answerWithin?: number;
  /** Told of every query: tests count them. */
  logQueries?: LogConfig;
}

export interface OpenOptions extends ConnectOptions {
  /** Undefined: the embedded server in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  log: Logger;
  /**
   * Of the embedded server: `own` is for the app, which must be alone; `join` for tools, which use a running app's server
   * and start one only where none runs.
   */
  sharing: "own" | "join";
}

/** Where a database is, and how to let go of it. */
interface Source {
  url: string;
  stop(): Promise<void>;
}

/**
 * Opens the database, its tables brought up to this version.
 * @throws DatabaseStartError in one line
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const source = await findSource(options);
  try {
    await migrate(source.url);
  } catch (error) {
    await source.stop();
    throw error;
  }
  return connectDatabase(source.url, options.log, source.stop, options);
}

async function findSource({ databaseUrl, dataDir, log, sharing }: OpenOptions): Promise<Source> {
  if (!databaseUrl) return sharing === "own" ? startEmbeddedPostgres({ dataDir, log }) : joinEmbedded(dataDir, log);
  await requireUsable(databaseUrl, log);
  return { url: databaseUrl, stop: async () => {} };
}

/** How long a tool waits for the database of a running app, in ms. */
const JOIN_MS = 30_000;

/** Uses the server of whoever has the data folder, who may still be starting it or be about to stop; else starts it. */
async function joinEmbedded(dataDir: string, log: Logger): Promise<Source> {
  for (const since = performance.now(); ; await pause(100)) {
    const holder = await findClaimant(dataDir).catch(() => null); // no such folder yet
    if (holder === null) {
      const started = await startUnlessInUse(dataDir, log);
      if (started) return started;
    } else {
      const facts = await readFacts(dataDir);
      if (facts && (await canConnect(embeddedUrl(facts)))) return { url: embeddedUrl(facts), stop: async () => {} };
      if (performance.now() - since > JOIN_MS) {
        throw new DatabaseStartError(`The running Front Row (process ${holder}) has no database that answers.`);
      }
    }
  }
}

async function startUnlessInUse(dataDir: string, log: Logger): Promise<Source | null> {
  return startEmbeddedPostgres({ dataDir, log }).catch((error: unknown) => {
    if (error instanceof DataFolderInUse) return null;
    throw error;
  });
}

/** The longest that a statement may take, in ms; and a transaction that does nothing. */
const STATEMENT_MS = 30_000;

/** How long `close` waits for queries that still run, in ms. */
const CLOSE_MS = 5_000;

/**
 * A bounded pool of connections. Losing some, or the whole server, is logged and never ends the process: queries fail until
 * the server is back.
 * @param afterwards what `close` does when the connections are closed
 */
export function connectDatabase(
  url: string,
  log: Logger,
  afterwards: () => Promise<void>,
  { answerWithin = ANSWER_MS, logQueries }: ConnectOptions = {},
): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 20_000,
    keepAlive: true,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: STATEMENT_MS,
    application_name: "front-row",
  });
  pool.on("error", (error) => {
    if (!pool.ending) log.warn({ error: error.message }, "An idle database connection was lost");
  });
  // The pool listens to its idle connections only; one that breaks in between two queries of a transaction would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("connect", (client) => closeWhenDeaf(client, answerWithin));
  return {
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), ...(logQueries && { log: logQueries }) }),
    pool,
    url,
    async close() {
      // A connection that is stuck must not hold up the end of the process.
      await Promise.race([pool.end(), pause(CLOSE_MS, undefined, { ref: false })]);
      await afterwards();
    },
  };
}
