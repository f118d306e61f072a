import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";

/** Does work on one connection whose statements may take as long as they do. The database must not give up silent connections. */
export function unhurried(db: Kysely<Schema>, work: (db: Kysely<Schema>) => Promise<void>): Promise<void> {
  return db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    await work(connection);
    await sql`reset statement_timeout`.execute(connection);
  });
}
