import { type RawBuilder, sql } from "kysely";
import type { Trx } from "../../database/schema.server.ts";

export interface LockedUser {
  id: string;
  banned: boolean;
  quarantined: boolean;
}

/** `key share` only prevents deletion and stronger locks. */
type Lock = "update" | "key share";

/** Locks in the order of ids. Every transaction locks users before their rows, which prevents deadlocks. */
export async function lockUsers(trx: Trx, condition: RawBuilder<unknown>, lock: Lock = "update") {
  const { rows } = await sql<LockedUser>`
    select id, banned_at is not null as banned, quarantined_at is not null as quarantined from users
    where ${condition} order by id for ${sql.raw(lock)}`.execute(trx);
  return rows;
}

export async function lockUser(trx: Trx, id: string, lock: Lock = "update"): Promise<LockedUser | null> {
  const [user] = await lockUsers(trx, sql`id = ${id}`, lock);
  return user ?? null;
}
