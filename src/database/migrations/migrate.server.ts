import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runMigrations, Logger as WorkerLogger } from "graphile-worker";
import { Kysely, sql } from "kysely";
import { type Migration, type MigrationProvider, type MigrationResult, Migrator } from "kysely/migration";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import { connectionConfig, describeServer } from "../connection/database-url.server.ts";
import { prepareSession } from "../connection/session.server.ts";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { adoptOldSchema } from "./adopt-old-schema.server.ts";
import { MigrationDialect } from "./migration-dialect.server.ts";
import { refuseForeignDatabase } from "./refuse-foreign-database.server.ts";

/**
 * The folder of the SQL files, one per migration, run in the order of their names. In the source tree it is
 * this module's own; the build copies it to build/server/migrations and bundles this module elsewhere.
 */
const migrationFolder =
  ["migrations", "../migrations"].map((folder) => join(import.meta.dirname, folder)).find(existsSync) ??
  import.meta.dirname;

/**
 * How long a migration may wait for a lock, in ms. Whoever else wants the table waits behind it, which
 * includes the reviews of the instances that run.
 */
const LOCK_TIMEOUT_MS = 1_000;

/** How long the others get before the migration asks for the lock again, in ms. */
const LOCK_RETRY_MS = 2_000;

/** PostgreSQL's code for a lock timeout. */
const LOCK_NOT_AVAILABLE = "55P03";

interface MigrateOptions {
  folder?: string;
  log?: Logger;
  /** Ends it; what a migration has not committed is rolled back. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs the pending migrations, each in its own transaction, and then those of the job queue. Kysely's
 * advisory lock keeps instances that start at the same time from running them twice. A migration that does
 * not get a lock soon (a dump may hold it) is rolled back and tried again, without limit.
 * @throws DatabaseStartError that names the failed migration, one that only a newer version knows, or a table of
 *   another program, whose database is left as it is; or the reason of an aborted signal
 */
export async function migrate(
  url: string,
  { folder = migrationFolder, log, signal }: MigrateOptions = {},
): Promise<void> {
  // A separate pool without timeouts: another instance's migrations may take long.
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max: 1,
    connectionTimeoutMillis: 5_000,
    application_name: "front-row-migrate",
    async onConnect(client) {
      await prepareSession(client, { statementTimeout: 0 });
      // A session that waits for a lock would not notice that this process has ended. Some systems cannot do
      // it.
      await client.query("set client_connection_check_interval = '1s'").catch(() => {});
    },
  });
  pool.on("error", () => {});
  // A connection that is lost rejects its query as well.
  pool.on("connect", (client) => {
    client.on("error", () => {});
    signal?.addEventListener("abort", () => client.connection.stream.destroy());
  });
  const db = new Kysely<unknown>({ dialect: new MigrationDialect({ pool }) });
  try {
    const provider = sqlFiles(folder);
    const migrator = new Migrator({ db, provider });
    const [first] = Object.keys(await provider.getMigrations()).sort();
    await refuseForeignDatabase(db, first, describeServer(url));
    for (let pending = true; pending; ) {
      signal?.throwIfAborted();
      const { error, results = [] } = await adoptOldSchema(db, LOCK_TIMEOUT_MS).then(
        () => migrator.migrateUp(),
        (error: unknown) => ({ error, results: [] }),
      );
      signal?.throwIfAborted();
      if (isLockTimeout(error)) {
        const migration = results.find(({ status }) => status === "Error")?.migrationName;
        log?.warn(
          { migration, retry_ms: LOCK_RETRY_MS },
          "A migration waits for a lock that another connection holds",
        );
        await pause(LOCK_RETRY_MS, undefined, { signal });
        continue;
      }
      if (error) throw await startError(error, results, db, migrator);
      pending = results.length > 0;
    }
    await createQueue(pool, signal);
  } finally {
    await db.destroy();
  }
}

/** Creates or updates the job queue's own tables: reports add jobs in their transactions. */
async function createQueue(pool: pg.Pool, signal: AbortSignal | undefined): Promise<void> {
  try {
    await runMigrations({ pgPool: pool, logger: new WorkerLogger(() => () => {}) });
  } catch (error) {
    signal?.throwIfAborted();
    throw new DatabaseStartError(`The job queue's tables cannot be brought up to date: ${messageOf(error)}`);
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE;
}

function sqlFiles(folder: string): MigrationProvider {
  return {
    async getMigrations() {
      const files = (await readdir(folder)).filter((file) => file.endsWith(".sql"));
      const read = files.map(async (file): Promise<[string, Migration]> => {
        const statements = await readFile(`${folder}/${file}`, "utf8");
        return [file.replace(/\.sql$/, ""), { up: (db) => runStatements(db, statements) }];
      });
      return Object.fromEntries(await Promise.all(read));
    },
  };
}

async function runStatements(db: Kysely<unknown>, statements: string): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(db);
  await sql.raw(statements).execute(db);
}

async function startError(
  error: unknown,
  results: MigrationResult[],
  db: Kysely<unknown>,
  migrator: Migrator,
) {
  if (error instanceof DatabaseStartError) return error;
  const failed = results.find(({ status }) => status === "Error");
  if (failed)
    return new DatabaseStartError(`The migration ${failed.migrationName} failed: ${messageOf(error)}`);
  const newer = await unknownMigration(db, migrator).catch(() => undefined);
  return new DatabaseStartError(
    newer
      ? `The database belongs to a newer version of Front Row (it has the migration ${newer}): start that version.`
      : `The database's tables cannot be brought up to date: ${messageOf(error)}`,
  );
}

/** The latest migration in the database that this version does not know. */
async function unknownMigration(db: Kysely<unknown>, migrator: Migrator): Promise<string | undefined> {
  const known = new Set((await migrator.getMigrations()).map(({ name }) => name));
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name desc`.execute(
    db,
  );
  return rows.find(({ name }) => !known.has(name))?.name;
}
