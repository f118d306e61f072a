import { sql } from "kysely";
import type { Db } from "./schema.server.ts";

/** Replaces the record of the previous backup. */
export async function recordBackup(db: Db): Promise<void> {
  await sql`with old as (delete from backups) insert into backups default values`.execute(db);
}

export async function findLastBackup(db: Db): Promise<Date | null> {
  const last = db.selectFrom("backups").select("finished_at").orderBy("finished_at", "desc");
  return (await last.executeTakeFirst())?.finished_at ?? null;
}
