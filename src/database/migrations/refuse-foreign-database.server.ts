import { type Kysely, sql } from "kysely";
import { DatabaseStartError } from "../database-start-error.server.ts";
import { findMigrations, oldMigrations } from "./adopt-old-schema.server.ts";

/** The migrator's own tables. */
const migratorTables = ["kysely_migration", "kysely_migration_lock"];

/**
 * Refuses a database that has tables but not our first migration: it is another program's. Looks only, and
 * creates nothing. Tables of others outside of the schema that we would use do not count, because hosted
 * services have some in each database; nor do those of extensions.
 * @throws DatabaseStartError that names a table
 */
export async function refuseForeignDatabase(
  db: Kysely<unknown>,
  firstMigration: string | undefined,
  server: string,
): Promise<void> {
  const isOurs = (migrations: string[]) =>
    migrations.some((name) => name === firstMigration || oldMigrations.includes(name));
  const applied = await findMigrations(db);
  if (isOurs(applied)) return;
  // A first start that was interrupted leaves the migrator's tables, without a migration in them.
  const ignored = applied.length === 0 ? migratorTables : [];
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
      and (nspname = current_schema() and relkind = any ('{r,p,f,m,v}')
        or pg_has_role(relowner, 'usage') and relkind = any ('{r,p,f,m}'))
      and not (nspname = current_schema() and relname = any (${ignored}::text[]))
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relispartition, relname = any (${migratorTables}::text[]), nspname <> current_schema(), nspname, relname
    limit 1`.execute(db);
  // Asked again: another instance of ours may have made its tables between the two queries.
  if (rows[0] && !isOurs(await findMigrations(db)))
    throw new DatabaseStartError(
      `The database at ${server} is another program's: it has ${rows[0].name}, and none of Front Row's migrations. Nothing was changed. Give Front Row an empty database of its own.`,
    );
}
