import { type Kysely, sql, type Transaction } from "kysely";
import { z } from "zod";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";

/** A user as operator commands show them. */
export interface UserSummary {
  id: string;
  email: string;
}

/** Finds users by id or e-mail, ignoring case. Several users can share an e-mail that is not verified. */
export function findUsers(db: Kysely<Schema>, emailOrId: string): Promise<UserSummary[]> {
  const users = db.selectFrom("users").select(["id", "email"]).orderBy("created_at");
  const { success: isId } = z.guid().safeParse(emailOrId);
  const matching = isId
    ? users.where("id", "=", emailOrId)
    : users.where(sql`email_key(email)`, "=", sql`email_key(${emailOrId})`);
  return matching.execute();
}

/** The numbers of rows that were deleted with a user. */
export type DeletedUser = { identities: number; sessions: number; reviews: number };

/**
 * Deletes a user with identities, sessions, reviews, flows and write counters (docs/product.md §6.16). A
 * trigger updates the tallies in the same transaction. Returns null if there is no such user.
 */
export function deleteUser(db: Kysely<Schema>, id: string): Promise<DeletedUser | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql<DeletedUser>`
      select (select count(*)::integer from identities where user_id = users.id) as identities,
        (select count(*)::integer from sessions where user_id = users.id) as sessions,
        (select count(*)::integer from reviews where user_id = users.id) as reviews
      from users where id = ${id} for update`.execute(trx);
    const [deleted] = rows;
    if (!deleted) return null;
    await trx.deleteFrom("users").where("id", "=", id).execute();
    await sql`delete from review_limits where key like ${`%:${id}`}`.execute(trx);
    await writeAudit(trx, "delete-user", { user_id: id, ...deleted });
    return deleted;
  });
}

/** The numbers of rows that a ban deleted. */
export interface BanResult {
  wasBanned: boolean;
  sessions: number;
  /** Sign-ins that were in progress. */
  flows: number;
  reviews: number;
}

/**
 * Bans a user: ends sessions and sign-ins in progress, and prevents new ones (docs/product.md §6.16). Reviews
 * stay unless `removeReviews` is set. Returns null if there is no such user.
 */
export function banUser(
  db: Kysely<Schema>,
  id: string,
  { removeReviews }: { removeReviews: boolean },
): Promise<BanResult | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return null;
    await sql`update users set banned_at = now() where id = ${id} and banned_at is null`.execute(trx);
    const removed = {
      sessions: await deleteRowsOf(trx, "sessions", id),
      flows: await deleteRowsOf(trx, "flows", id),
      reviews: removeReviews ? await deleteRowsOf(trx, "reviews", id) : 0,
    };
    await writeAudit(trx, "ban-user", { user_id: id, ...removed });
    return { wasBanned: user.banned, ...removed };
  });
}

/** Lifts a ban. Returns whether the user was banned, or null if there is no such user. */
export function unbanUser(db: Kysely<Schema>, id: string): Promise<boolean | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user?.banned) return user && false;
    await trx.updateTable("users").set({ banned_at: null }).where("id", "=", id).execute();
    await writeAudit(trx, "unban-user", { user_id: id });
    return true;
  });
}

/** Locks the user's row first, as every transaction on a user's rows does, to avoid deadlocks. */
async function lockUser(trx: Transaction<Schema>, id: string): Promise<{ banned: boolean } | null> {
  const { rows } = await sql<{ banned: boolean }>`
    select banned_at is not null as banned from users where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

async function deleteRowsOf(trx: Transaction<Schema>, table: "sessions" | "flows" | "reviews", id: string) {
  const { numDeletedRows } = await trx.deleteFrom(table).where("user_id", "=", id).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
