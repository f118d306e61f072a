import { sql } from "kysely";
import type pg from "pg";
import { migrateWithin, readMigrations } from "../../database/migrations/migrate.server.ts";
import type { Trx } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import { escapeControls } from "../console.ts";

type Migrations = Parameters<typeof migrateWithin>[1];

export interface Table {
  name: string;
  columns: string[];
}

export interface Parts {
  /** Referenced tables come first. */
  tables: Table[];
  sequences: string[];
  /** With the types of their arguments. */
  routines: string[];
}

/** @throws OperatorError if this version has no such migration */
export async function migrationsTo(schema: string): Promise<Migrations> {
  const migrations = await readMigrations();
  if (!migrations.has(schema))
    throw new OperatorError(
      `This version of Front Row does not know the schema ${escapeControls(schema)}: take the version that has it.`,
    );
  return [...migrations].filter(([name]) => name <= schema);
}

/** Runs the migrations in a schema that is rolled back, to find their parts without the operator's own tables. */
export async function findParts(trx: Trx, migrations: Migrations): Promise<Parts> {
  await sql`savepoint parts`.execute(trx);
  await sql`
    create schema front_row_parts create table front_row_migrations (name text primary key, applied_at timestamptz default now(), digest text)`.execute(
    trx,
  );
  await sql`set local search_path to front_row_parts`.execute(trx);
  await migrateWithin(trx, migrations);
  await sql`drop table front_row_migrations`.execute(trx);
  const { rows } = await sql<Parts>`
    with recursive own as (select * from pg_class where relnamespace = 'front_row_parts'::regnamespace),
    placed (oid, place) as (
      select oid, 0 from own where relkind = 'r'
      union
      select conrelid, place + 1 from placed join pg_constraint on confrelid = placed.oid
      where contype = 'f' and conrelid <> confrelid and place < 100
    ),
    tables as (
      select relname as name, max(place) as place, (
        select json_agg(attname order by attnum) from pg_attribute
        where attrelid = own.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
      from own join placed using (oid) group by own.oid, relname
    )
    select
      (select json_agg(json_build_object('name', name, 'columns', columns) order by place, name) from tables) as tables,
      (select json_agg(relname order by relname) from own where relkind = 'S') as sequences,
      (select json_agg(oid::regprocedure::text) from pg_proc
        where pronamespace = 'front_row_parts'::regnamespace) as routines`.execute(trx);
  await sql`rollback to parts`.execute(trx);
  if (!rows[0]) throw new Error("No row of a select without from");
  return rows[0];
}

/** Returns the last used number of each, or 0. */
export async function readSequences(trx: Trx, names: readonly string[]): Promise<Record<string, string>> {
  const numbers: Record<string, string> = {};
  for (const name of names) {
    const { rows } = await sql<{ last: string }>`
      select (last_value - (not is_called)::int)::text as last from ${sql.table(name)}`.execute(trx);
    numbers[name] = rows[0]?.last ?? "0";
  }
  return numbers;
}

/** Also drops everything that depends on the parts. */
export async function dropParts(trx: Trx, { tables, routines }: Parts): Promise<void> {
  await sql`drop table ${sql.join(tables.map(({ name }) => sql.table(name)))} cascade`.execute(trx);
  await sql`drop routine if exists ${sql.raw(routines.join())} cascade`.execute(trx);
  await sql`delete from front_row_migrations`.execute(trx);
}

export function copyStatement(client: pg.PoolClient, { name, columns }: Table, direction: string): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join();
  return `copy ${client.escapeIdentifier(name)} (${list}) ${direction}`;
}
