import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../schema.server.ts";

/** After an upgrade of the system, indexes may be in the wrong order and miss rows. */
export async function warnOfCollationVersion(db: Kysely<Schema>, log: Logger): Promise<void> {
  const { rows } = await sql<{ database: string; recorded: string; actual: string }>`
    select quote_ident(datname) as database, datcollversion as recorded, actual
    from pg_database, pg_database_collation_actual_version(oid) as actual
    where datname = current_database() and datcollversion <> actual`.execute(db);
  for (const { database, recorded, actual } of rows)
    log.warn(
      { recorded, actual },
      `The collation's version is not that of the database's indexes: run REINDEX DATABASE ${database}; then ALTER DATABASE ${database} REFRESH COLLATION VERSION;`,
    );
}
