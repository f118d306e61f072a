import { type Kysely, sql, type Transaction } from "kysely";
import { z } from "zod";
import { writeAudit } from "../../database/audit-log.server.ts";
import { banLockedUser, deleteRowsOf, type EndedByBan } from "../../database/query/ban-user.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { SignedInUser } from "../session.ts";

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

/** The operator deletes a user (docs/product.md §6.16). Returns null if there is no such user. */
export function deleteUser(db: Kysely<Schema>, id: string): Promise<DeletedUser | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) =>
    (await lockUser(trx, id)) ? deleteLockedUser(trx, id, "delete-user") : null,
  );
}

/** How long after its begin a session may delete its user, in seconds (docs/product.md §6.18). */
const REAUTHENTICATION_SECONDS = 300;

/** Why users may not delete themselves now. */
export type OwnDeletionRefusal = "session_ended" | "reauthentication_needed" | "wrong_email";

/**
 * Deletes the user of a session that began a short time ago (docs/product.md §6.18).
 * @param email what the user has typed: it must be the user's e-mail
 * @param deadline when to have committed by, on the clock of `performance.now()`
 */
export function deleteOwnUser(
  db: Kysely<Schema>,
  { id, sessionId }: SignedInUser,
  email: string,
  deadline: number,
): Promise<DeletedUser | OwnDeletionRefusal> {
  return transactionBefore(db, deadline, async (trx) => {
    const user = await lockUser(trx, id);
    const { rows } = await sql<{ recent: boolean; same: boolean }>`
      select sessions.created_at > clock_timestamp() - make_interval(secs => ${REAUTHENTICATION_SECONDS}) as recent,
        email_key(users.email) = email_key(${email}) as same
      from sessions join users on users.id = user_id where sessions.id = ${sessionId} and user_id = ${id}`.execute(
      trx,
    );
    const [session] = rows;
    if (!session || user?.banned) return "session_ended";
    if (!session.recent) return "reauthentication_needed";
    return session.same ? deleteLockedUser(trx, id, "delete-own-user") : "wrong_email";
  });
}

/**
 * Deletes a user with identities, sessions, reviews, sign-ins and write counters. A trigger updates the
 * tallies in the same transaction. A ban stays, as hashes of the identities.
 */
async function deleteLockedUser(trx: Transaction<Schema>, id: string, action: string): Promise<DeletedUser> {
  const { rows } = await sql<DeletedUser>`
    select (select count(*)::integer from identities where user_id = ${id}) as identities,
      (select count(*)::integer from sessions where user_id = ${id}) as sessions,
      (select count(*)::integer from reviews where user_id = ${id}) as reviews`.execute(trx);
  const [deleted] = rows;
  if (!deleted) throw new Error("The rows of the user were not counted");
  await sql`insert into banned_identities (hash, banned_at)
    select identity_hash(provider, subject), banned_at from identities join users on users.id = user_id
    where user_id = ${id} and banned_at is not null on conflict do nothing`.execute(trx);
  await trx.deleteFrom("users").where("id", "=", id).execute();
  await sql`delete from review_limits where key like ${`%:${id}`}`.execute(trx);
  await writeAudit(trx, action, { user_id: id, ...deleted });
  return deleted;
}

/** The numbers of rows that a ban deleted. */
export interface BanResult extends EndedByBan {
  wasBanned: boolean;
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
    const removed = {
      ...(await banLockedUser(trx, id)),
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
