import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, parse } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { runMigrations, Logger as WorkerLogger } from "graphile-worker";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { messageOf } from "../../lib/error-message.ts";
import { OperatorError } from "../../lib/operator-error.ts";
import { connectionConfig, describeServer } from "../connection/database-url.server.ts";
import { prepareSession } from "../connection/session.server.ts";
import type { Db, Schema, Trx } from "../schema.server.ts";

/** Has the folders `migrations` and `functions`. In a build it is build/server, and this module is bundled. */
const sqlFolder =
  [".", ".."]
    .map((folder) => join(import.meta.dirname, folder))
    .find((folder) => existsSync(join(folder, "functions"))) ?? import.meta.dirname;

/** In ms. All others, also running instances, wait behind a migration that waits for a lock. */
const LOCK_TIMEOUT_MS = 1_000;

const LOCK_RETRY_MS = 2_000;

const LOCK_NOT_AVAILABLE = "55P03";

class LockTimeoutError extends Error {}

type SqlFiles = ReadonlyMap<string, string>;

interface MigrateOptions {
  folder?: string;
  log?: Logger;
  signal?: AbortSignal | undefined;
}

/** Retries while a lock is held, for example by a dump. @throws OperatorError, or the reason of an abort */
export async function migrate(url: string, { folder = sqlFolder, log, signal }: MigrateOptions = {}) {
  const pool = createPool(url, signal);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    const [migrations, functions] = [await readMigrations(folder), await readFunctions(folder)];
    for (let pending = true; pending; ) {
      signal?.throwIfAborted();
      pending = await db
        .transaction()
        .execute((trx) => runNext(trx, migrations, functions, describeServer(url)))
        .catch(async (error: unknown) => {
          if (!(error instanceof LockTimeoutError)) throw error;
          log?.warn(
            { file: error.message, retry_ms: LOCK_RETRY_MS },
            "A migration waits for a lock that another connection holds",
          );
          await pause(LOCK_RETRY_MS, undefined, { signal });
          return true;
        });
    }
    // The job queue's tables, because reports add jobs in their transactions.
    await runMigrations({ pgPool: pool, logger: new WorkerLogger(() => () => {}) });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`The database's tables cannot be brought up to date: ${describeFailure(error)}`);
  } finally {
    await db.destroy();
  }
}

/** Runs the pending ones of these migrations, and the functions. */
export async function migrateWithin(trx: Trx, migrations: Iterable<[name: string, statements: string]>) {
  const applied = await findApplied(trx);
  for (const [name, statements] of migrations)
    if (!applied.includes(name)) await runMigration(trx, name, statements);
  await replaceFunctions(trx, await readFunctions(sqlFolder));
}

/** Without timeouts, because another instance's migrations may take long. */
function createPool(url: string, signal: AbortSignal | undefined): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(url),
    max: 1,
    connectionTimeoutMillis: 5_000,
    application_name: "front-row-migrate",
    async onConnect(client) {
      await prepareSession(client, { statementTimeout: 0 });
      // Otherwise a session that waits for a lock does not notice the end of this process. Not all systems can.
      await client.query("set client_connection_check_interval = '1s'").catch(() => {});
    },
  });
  pool.on("error", () => {});
  pool.on("connect", (client) => {
    client.on("error", () => {});
    signal?.addEventListener("abort", () => client.connection.stream.destroy());
  });
  return pool;
}

/** Returns statements by name, in order. */
export const readMigrations = (folder = sqlFolder) => readSql(join(folder, "migrations"));

const readFunctions = (folder: string) => readSql(join(folder, "functions"));

async function readSql(folder: string): Promise<Map<string, string>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  const read = files.map(
    async (file) => [parse(file).name, await readFile(join(folder, file), "utf8")] as const,
  );
  return new Map(await Promise.all(read));
}

/** Returns whether it ran a migration, after which there may be more. */
async function runNext(
  trx: Trx,
  migrations: SqlFiles,
  functions: SqlFiles,
  server: string,
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtextextended('front-row migrations', 0))`.execute(trx);
  const applied = await findApplied(trx);
  if (applied.length === 0) {
    await refuseForeignDatabase(trx, server);
    await sql`create table front_row_migrations (
      name text primary key, applied_at timestamptz not null default now(), digest text)`.execute(trx);
  }
  const newer = applied.findLast((name) => !migrations.has(name));
  if (newer !== undefined)
    throw new OperatorError(
      `The database belongs to a newer version of Front Row (it has the migration ${newer}): start that version.`,
    );
  for (const [name, statements] of migrations) {
    if (applied.includes(name)) continue;
    await runMigration(trx, name, statements);
    return true;
  }
  await replaceFunctions(trx, functions);
  return false;
}

/** Ignores tables of a hosted service in other schemas. */
async function refuseForeignDatabase(trx: Trx, server: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
      and (nspname = current_schema() and relkind = any ('{r,p,f,m,v}')
        or pg_has_role(relowner, 'usage') and relkind = any ('{r,p,f,m}'))
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relispartition, nspname <> current_schema(), nspname, relname
    limit 1`.execute(trx);
  if (rows[0])
    throw new OperatorError(
      `The database at ${server} is another program's: it has ${rows[0].name}, and none of Front Row's migrations. Nothing was changed. Give Front Row an empty database of its own.`,
    );
}

/** Oldest first. */
export async function findApplied(trx: Db): Promise<string[]> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('front_row_migrations') is not null as exists`.execute(trx);
  if (!rows[0]?.exists) return [];
  const found = await sql<{ name: string }>`
    select name from front_row_migrations where digest is null`.execute(trx);
  return found.rows.map(({ name }) => name).sort();
}

async function runMigration(trx: Trx, name: string, statements: string): Promise<void> {
  await runFile(trx, `migration ${name}`, statements);
  await sql`insert into front_row_migrations (name) values (${name})`.execute(trx);
}

/** A file whose text differs from the one that ran last runs again, also when an older version is started again. */
async function replaceFunctions(trx: Trx, files: SqlFiles): Promise<void> {
  const digests = sql<{ name: string; digest: string }>`
    select name, digest from front_row_migrations where digest is not null`;
  const stored = new Map((await digests.execute(trx)).rows.map(({ name, digest }) => [name, digest]));
  // The functions of one file call those of another.
  await sql`set local check_function_bodies = off`.execute(trx);
  for (const [name, statements] of files) {
    const digest = createHash("sha256").update(statements).digest("hex");
    if (stored.get(name) === digest) continue;
    await runFile(trx, `file functions/${name}.sql`, statements);
    await sql`
      insert into front_row_migrations (name, digest) values (${name}, ${digest})
      on conflict (name) do update set digest = excluded.digest, applied_at = now()`.execute(trx);
  }
}

async function runFile(trx: Trx, what: string, statements: string): Promise<void> {
  try {
    await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`.execute(trx);
    await sql.raw(statements).execute(trx);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE)
      throw new LockTimeoutError(what);
    throw new OperatorError(`The ${what} failed: ${describeFailure(error)}`);
  }
}

/** PostgreSQL's codes for a missing right, and for a search_path without a schema. */
const rightsCodes = new Set(["42501", "3F000"]);

function describeFailure(error: unknown): string {
  const lacksRights = error instanceof pg.DatabaseError && rightsCodes.has(error.code ?? "");
  const fix = ". Make this role the owner of the database and of all that is in it";
  return messageOf(error) + (lacksRights ? fix : "");
}
