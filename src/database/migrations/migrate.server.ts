import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Kysely, sql } from "kysely";
import { type Migration, type MigrationProvider, type MigrationResult, Migrator } from "kysely/migration";
import pg from "pg";
import { messageOf } from "../../lib/error-message.ts";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { MigrationDialect } from "./migration-dialect.server.ts";

/**
 * The folder of the SQL files, one per migration, run in the order of their names. In the source tree it is
 * this module's own; the build copies it to build/server/migrations and bundles this module elsewhere.
 */
const migrationFolder =
  ["migrations", "../migrations"].map((folder) => join(import.meta.dirname, folder)).find(existsSync) ??
  import.meta.dirname;

/**
 * Runs the pending migrations, each in its own transaction. Kysely's advisory lock keeps instances that start
 * at the same time from running them twice.
 * @throws DatabaseStartError that names the failed migration, or one that only a newer version knows
 */
export async function migrate(url: string, folder = migrationFolder): Promise<void> {
  // A separate pool without a statement timeout: another instance's migrations may take long.
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: 5_000,
    application_name: "front-row-migrate",
  });
  pool.on("error", () => {});
  const db = new Kysely<unknown>({ dialect: new MigrationDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: sqlFiles(folder) });
    for (let pending = true; pending; ) {
      const { error, results = [] } = await migrator.migrateUp();
      if (error) throw await startError(error, results, db, migrator);
      pending = results.length > 0;
    }
  } finally {
    await db.destroy();
  }
}

function sqlFiles(folder: string): MigrationProvider {
  return {
    async getMigrations() {
      const files = (await readdir(folder)).filter((file) => file.endsWith(".sql"));
      const read = files.map(async (file): Promise<[string, Migration]> => {
        const statements = await readFile(`${folder}/${file}`, "utf8");
        return [file.replace(/\.sql$/, ""), { up: async (db) => void (await sql.raw(statements).execute(db)) }];
      });
      return Object.fromEntries(await Promise.all(read));
    },
  };
}

async function startError(error: unknown, results: MigrationResult[], db: Kysely<unknown>, migrator: Migrator) {
  const failed = results.find(({ status }) => status === "Error");
  if (failed) return new DatabaseStartError(`The migration ${failed.migrationName} failed: ${messageOf(error)}`);
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
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name desc`.execute(db);
  return rows.find(({ name }) => !known.has(name))?.name;
}
