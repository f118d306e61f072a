import { type Kysely, sql, type Transaction } from "kysely";
import { z } from "zod";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";

export interface UserSummary {
  id: string;
  email: string;
}

/** The users of an id, or of an e-mail, case aside: several can have the same one as long as it is not verified. */
export function findUsers(db: Kysely<Schema>, emailOrId: string): Promise<UserSummary[]> {
  const users = db.selectFrom("users").select(["id", "email"]).orderBy("created_at");
  const { success: isId } = z.guid().safeParse(emailOrId);
  const found = isId
    ? users.where("id", "=", emailOrId)
    : users.where(sql`email_key(email)`, "=", sql`email_key(${emailOrId})`);
  return found.execute();
}

/** How much of a user there was. */
export type DeletedUser = { identities: number; sessions: number; reviews: number };

/**
 * Deletes a user with everything of theirs: identities, sessions, reviews, a sign-in under way, counts of writes. The tallies
 * follow in the same transaction. Null when the user is gone already.
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

/** What a ban has ended and removed; whether the user was banned before. */
export interface Ban {
  before: boolean;
  sessions: number;
  /** Sign-ins that were under way. */
  flows: number;
  reviews: number;
}

/**
 * Shuts a user out: their sessions and sign-ins under way end, and they cannot sign in any more. Their reviews stay, unless they
 * are to be removed too. Null when the user is gone.
 */
export function banUser(
  db: Kysely<Schema>,
  id: string,
  { removeReviews }: { removeReviews: boolean },
): Promise<Ban | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return null;
    await sql`update users set banned_at = now() where id = ${id} and banned_at is null`.execute(trx);
    const removed = {
      sessions: await deleteOf(trx, "sessions", id),
      flows: await deleteOf(trx, "flows", id),
      reviews: removeReviews ? await deleteOf(trx, "reviews", id) : 0,
    };
    await writeAudit(trx, "ban-user", { user_id: id, ...removed });
    return { before: user.banned, ...removed };
  });
}

/** Lets a banned user sign in again. Answers whether they were banned; null when the user is gone. */
export function unbanUser(db: Kysely<Schema>, id: string): Promise<boolean | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user?.banned) return user && false;
    await trx.updateTable("users").set({ banned_at: null }).where("id", "=", id).execute();
    await writeAudit(trx, "unban-user", { user_id: id });
    return true;
  });
}

/** A user is locked before anything of theirs. */
async function lockUser(trx: Transaction<Schema>, id: string): Promise<{ banned: boolean } | null> {
  const { rows } = await sql<{ banned: boolean }>`
    select banned_at is not null as banned from users where id = ${id} for update`.execute(trx);
  return rows[0] ?? null;
}

async function deleteOf(trx: Transaction<Schema>, table: "sessions" | "flows" | "reviews", id: string) {
  const { numDeletedRows } = await trx.deleteFrom(table).where("user_id", "=", id).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
