import { sql, type Transaction } from "kysely";
import type pg from "pg";
import type { Schema } from "../../database/schema.server.ts";

type Trx = Transaction<Schema>;

export interface Table {
  name: string;
  columns: string[];
}

/** Of a class or a procedure: extensions may have others in the site's schema, and other roles. */
const isOwn = (prefix: "rel" | "pro", catalogue: "pg_class" | "pg_proc") => sql`
  ${sql.ref(`${prefix}namespace`)} = (select oid from pg_namespace where nspname = current_schema())
  and pg_has_role(${sql.ref(`${prefix}owner`)}, 'usage') and not exists (
    select from pg_depend where classid = ${catalogue}::regclass and objid = ${sql.ref(catalogue)}.oid and deptype = 'e')`;

const ownTables = sql`
  select oid, relname from pg_class
  where relkind = 'r' and relname <> 'kysely_migration' and ${isOwn("rel", "pg_class")}`;

/** Each behind those that it refers to. */
export async function findTables(trx: Trx): Promise<Table[]> {
  const { rows } = await sql<Table>`
    with recursive own as (${ownTables}),
    placed (oid, place) as (
      select oid, 0 from own
      union
      select conrelid, place + 1 from placed join pg_constraint on confrelid = placed.oid
      where contype = 'f' and conrelid <> confrelid and place < 100
    )
    select relname as name, (
      select array_agg(attname::text order by attnum) from pg_attribute
      where attrelid = own.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from own join placed using (oid) group by own.oid, relname order by max(place), relname`.execute(trx);
  return rows;
}

/** With the last number that each has given, or 0. */
export async function findSequences(trx: Trx): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'S' and ${isOwn("rel", "pg_class")} order by name`.execute(trx); // biome-ignore format: one thought
  const numbers: Record<string, string> = {};
  for (const { name } of rows) {
    const found = await sql<{ last: string }>`
      select (last_value - (not is_called)::int)::text as last from ${sql.table(name)}`.execute(trx);
    numbers[name] = found.rows[0]?.last ?? "0";
  }
  return numbers;
}

/** With all that depends on them, and the functions. */
export async function dropTables(trx: Trx): Promise<void> {
  for (const found of [
    sql`select 'table ' || string_agg(quote_ident(relname), ', ') as names from (${ownTables}) as own`,
    sql`select 'routine ' || string_agg(oid::regprocedure::text, ', ') as names from pg_proc where ${isOwn("pro", "pg_proc")}`,
  ]) {
    const { rows } = await sql<{ names: string | null }>`${found}`.execute(trx);
    if (rows[0]?.names) await sql.raw(`drop ${rows[0].names} cascade`).execute(trx);
  }
  await sql`delete from kysely_migration`.execute(trx);
}

export function copyStatement(client: pg.PoolClient, { name, columns }: Table, direction: string): string {
  const list = columns.map((column) => client.escapeIdentifier(column)).join();
  return `copy ${client.escapeIdentifier(name)} (${list}) ${direction}`;
}
