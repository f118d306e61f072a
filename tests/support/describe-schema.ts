import { type Kysely, sql } from "kysely";

/** All that the current schema has, a line for each thing, whatever the order in which it was made. */
export async function describeSchema<T>(db: Kysely<T>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('column %s.%s %s %s %s %s', table_name, column_name, data_type, datetime_precision, is_nullable,
      coalesce(column_default, identity_generation)) as line
    from information_schema.columns where table_schema = current_schema()
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = current_schema()::regnamespace
    union all
    select 'index ' || indexdef from pg_indexes where schemaname = current_schema()
    union all
    select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = current_schema()::regnamespace`.execute(
    db,
  );
  return rows.map(({ line }) => line).sort();
}
