import { sql } from "kysely";
import { migrateWithin, readMigrations } from "../../database/migrations/migrate.server.ts";
import type { Trx } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/operator-error.ts";

/** Runs the migrations in a schema that is rolled back, to learn their tables. @throws OperatorError for other tables */
export async function findOwnParts(trx: Trx): Promise<{ schema: string; tables: string[] }> {
  const { schema, tables } = await findTables(trx);
  await sql`savepoint parts`.execute(trx);
  await sql`create schema front_row_parts create table front_row_migrations (
    like ${sql.id(schema, "front_row_migrations")} including all)`.execute(trx);
  await sql`set local search_path to front_row_parts`.execute(trx);
  await migrateWithin(trx, await readMigrations());
  const own = new Set((await findTables(trx)).tables);
  await sql`rollback to parts`.execute(trx);
  const foreign = tables.find((name) => !own.has(name));
  if (foreign !== undefined)
    throw new OperatorError(
      `The schema ${schema} has a table that is not Front Row's: ${foreign}. Move it to another schema, with alter table … set schema ….`,
    );
  return { schema, tables };
}

/** Without those of extensions. */
async function findTables(trx: Trx): Promise<{ schema: string; tables: string[] }> {
  const { rows } = await sql<{ name: string; schema: string }>`
    select relname as name, current_schema() as schema from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = any ('{r,p,f,m}') and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relname`.execute(trx);
  return { schema: rows[0]?.schema ?? "", tables: rows.map(({ name }) => name) };
}
