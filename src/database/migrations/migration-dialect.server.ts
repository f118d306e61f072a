import { type Kysely, PostgresDialect, PostgresIntrospector, sql, type TableMetadata } from "kysely";

/**
 * The PostgreSQL dialect for the migrator, with introspection limited to the current schema. Kysely would
 * read the columns of every table and fail if one disappears meanwhile, as the job queue's do while another
 * instance creates them.
 */
export class MigrationDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): PostgresIntrospector {
    return new OwnTablesIntrospector(db);
  }
}

/** Lists the tables without their columns: the migrator only looks for its own two tables. */
class OwnTablesIntrospector extends PostgresIntrospector {
  readonly #database: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#database = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string; name: string }>`
      select schemaname as schema, tablename as name from pg_catalog.pg_tables
      where schemaname = current_schema()`.execute(this.#database);
    return rows.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }));
  }
}
