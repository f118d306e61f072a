import { sql, type Transaction } from "kysely";
import type { Schema } from "../schema.server.ts";

/** The numbers of rows that a ban deletes. */
export interface EndedByBan {
  sessions: number;
  /** Sign-ins that were in progress. */
  signIns: number;
}

/**
 * Bans a user whose row is locked: ends sessions and sign-ins in progress, and prevents new ones
 * (docs/product.md §6.16).
 */
export async function banLockedUser(trx: Transaction<Schema>, id: string): Promise<EndedByBan> {
  await sql`update users set banned_at = now() where id = ${id} and banned_at is null`.execute(trx);
  const unfinished = trx.deleteFrom("sign_ins").where("user_id", "=", id).where("exchanged_at", "is", null);
  return {
    sessions: await deleteRowsOf(trx, "sessions", id),
    signIns: Number((await unfinished.executeTakeFirstOrThrow()).numDeletedRows),
  };
}

/** Deletes a user's rows in a table. Returns how many there were. */
export async function deleteRowsOf(
  trx: Transaction<Schema>,
  table: "sessions" | "reviews",
  userId: string,
): Promise<number> {
  const deletion = trx.deleteFrom(table).where("user_id", "=", userId);
  return Number((await deletion.executeTakeFirstOrThrow()).numDeletedRows);
}
