import { type Kysely, PostgresDialect, PostgresIntrospector, sql, type TableMetadata } from "kysely";

/**
 * PostgreSQL for the migrator, with the tables of our own schema alone. Kysely would look into every table there is, and fail
 * when one goes away in that moment: those of the job queue do while another instance, started together with this one, makes them.
 */
export class MigrationDialect extends PostgresDialect {
  override createIntrospector(db: Kysely<unknown>): PostgresIntrospector {
    return new OwnTables(db);
  }
}

/** Tells which tables there are and nothing about their columns: the migrator only looks for its own two. */
class OwnTables extends PostgresIntrospector {
  readonly #database: Kysely<unknown>;

  constructor(db: Kysely<unknown>) {
    super(db);
    this.#database = db;
  }

  override async getTables(): Promise<TableMetadata[]> {
    const { rows } = await sql<{ schema: string; name: string }>`
      select schemaname as schema, tablename as name from pg_catalog.pg_tables where schemaname = current_schema()`.execute(
      this.#database,
    );
    return rows.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }));
  }
}
