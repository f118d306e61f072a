import { sql } from "kysely";
import type { Db } from "./schema.server.ts";

/** `size` of the database, in bytes. */
export async function findServerFigures(db: Db) {
  const { rows } = await sql<{ version: string; size: number }>`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as size`.execute(db);
  return rows[0] ?? { version: "unknown", size: 0 };
}
