import type { Kysely } from "kysely";
import type { Schema } from "./schema.server.ts";

/** When the last backup was whole; null if there was none. */
export async function findLastBackup(db: Kysely<Schema>): Promise<Date | null> {
  const last = db.selectFrom("backups").select("finished_at").orderBy("finished_at", "desc");
  return (await last.executeTakeFirst())?.finished_at ?? null;
}
