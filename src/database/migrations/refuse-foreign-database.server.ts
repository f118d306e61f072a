import { sql, type Transaction } from "kysely";
import { DatabaseStartError } from "../database-start-error.server.ts";

/** Hosted services have tables outside of our schema in each database: those do not count. */
export async function refuseForeignDatabase(trx: Transaction<unknown>, server: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', nspname, relname) as name
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname !~ '^pg_' and nspname <> 'information_schema'
      and (nspname = current_schema() and relkind = any ('{r,p,f,m,v}')
        or pg_has_role(relowner, 'usage') and relkind = any ('{r,p,f,m}'))
      and not (nspname = current_schema() and relname like 'kysely_migration%')
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relispartition, nspname <> current_schema(), nspname, relname
    limit 1`.execute(trx);
  if (rows[0])
    throw new DatabaseStartError(
      `The database at ${server} is another program's: it has ${rows[0].name}, and none of Front Row's migrations. Nothing was changed. Give Front Row an empty database of its own.`,
    );
}
