import { type RawBuilder, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

export interface LockedUser {
  id: string;
  banned: boolean;
  quarantined: boolean;
}

/** `key share` only prevents deletion and stronger locks. */
type Lock = "update" | "key share";

/** Locks in the order of ids. Every transaction locks users before their rows, which prevents deadlocks. */
export async function lockUsers(
  trx: Transaction<Schema>,
  condition: RawBuilder<unknown>,
  lock: Lock = "update",
): Promise<LockedUser[]> {
  const { rows } = await sql<LockedUser>`
    select id, banned_at is not null as banned, quarantined_at is not null as quarantined from users
    where ${condition} order by id for ${sql.raw(lock)}`.execute(trx);
  return rows;
}

export async function lockUser(
  trx: Transaction<Schema>,
  id: string,
  lock: Lock = "update",
): Promise<LockedUser | null> {
  const [user] = await lockUsers(trx, sql`id = ${id}`, lock);
  return user ?? null;
}
