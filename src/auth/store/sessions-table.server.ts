import { randomBytes } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db, Schema, Trx } from "../../database/schema.server.ts";
import type { Provider, SessionClaims, SignedInUser } from "../../domain/account.ts";
import type { Deadline } from "../../lib/bounded-wait.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../tokens/refresh-token.server.ts";
import { lockUser } from "./lock-users.server.ts";

/** A session ends after this time without a refresh (docs/product.md §6.11). */
const IDLE_LIMIT = sql`interval '90 days'`;

/** A session ends at this age, even if it is used (docs/product.md §6.11). */
const MAX_AGE = sql`interval '180 days'`;

const MAX_SESSIONS = 20;

/** Within it, a tab that slept or lost a response may send an older token. */
const REUSE_SECONDS = 10;

/** For this long the previous token stays valid: a response may be lost (docs/product.md §6.13). */
const PREVIOUS_TOKEN_SECONDS = 86_400;

type SessionRow = Selectable<Schema["sessions"]>;

export type Session = SessionRow & { refreshToken: string };

/** If the user has too many sessions, the one that was unused for the longest time ends. */
export async function insertSession(trx: Trx, userId: string, provider: Provider): Promise<Session> {
  // Sign-ins of one user run one after another, so that each counts the session of the other.
  await lockUser(trx, userId);
  await sql`delete from sessions where id in (
    select id from sessions where user_id = ${userId}
    order by refreshed_at desc offset ${MAX_SESSIONS - 1})`.execute(trx);
  const { rows } = await sql<SessionRow>`
    insert into sessions (user_id, provider, refresh_key, expires_at)
    values (${userId}, ${provider}, ${randomBytes(32)}, now() + ${IDLE_LIMIT}) returning *`.execute(trx);
  return toSession(rows);
}

interface RefreshRefusal {
  refused: "refresh_token_not_found" | "refresh_token_already_used" | "user_banned" | "session_expired";
  userId?: string;
}

const unknownToken: RefreshRefusal = { refused: "refresh_token_not_found" };

/**
 * Rotates the current token (docs/product.md §6.13). For a day, the previous token gets the current one: its
 * response was lost, or another tab was faster. Within the reuse window, any earlier token does. Other tokens
 * count as stolen.
 */
export async function refreshSession(trx: Trx, text: string): Promise<Session | RefreshRefusal> {
  const token = decodeRefreshToken(text);
  if (!token) return unknownToken;
  const { rows } = await sql<SessionRow & { unused: number; expired: boolean; banned: boolean }>`
    select *, (select banned_at is not null from users where users.id = user_id) as banned,
      extract(epoch from clock_timestamp() - refreshed_at)::float8 as unused,
      least(expires_at, created_at + ${MAX_AGE}) <= clock_timestamp() as expired
    from sessions where id = ${token.sessionId} for update`.execute(trx);
  const [session] = rows;
  if (!session || !token.verifyMac(session.refresh_key)) return unknownToken;
  const userId = session.user_id;
  if (session.banned) return { refused: "user_banned", userId };
  if (session.expired) return { refused: "session_expired", userId };
  const age = BigInt(session.counter) - token.counter;
  if (age < 0n) return unknownToken;
  if (age === 0n) return rotate(trx, session.id);
  if (session.unused < (age === 1n ? PREVIOUS_TOKEN_SECONDS : REUSE_SECONDS)) return toSession(rows);
  await endSession(trx, session.id);
  return { refused: "refresh_token_already_used", userId };
}

export async function endSession(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom("sessions").where("id", "=", id).execute();
}

/** Ends the session that a refresh token names. Returns its user; null if there is no such session. */
export async function endSessionOf(trx: Trx, refreshToken: string): Promise<string | null> {
  const token = decodeRefreshToken(refreshToken);
  const session = token && (await findSession(trx, token.sessionId));
  if (!session || !token.verifyMac(session.refresh_key)) return null;
  await endSession(trx, session.id);
  return session.user_id;
}

export async function findSession(trx: Trx, id: string | null): Promise<Session | null> {
  const rows = await trx.selectFrom("sessions").selectAll().where("id", "=", id).forUpdate().execute();
  return rows[0] ? toSession(rows) : null;
}

async function rotate(trx: Trx, id: string): Promise<Session> {
  const { rows } = await sql<SessionRow>`
    update sessions set counter = counter + 1, refreshed_at = clock_timestamp(),
      expires_at = least(clock_timestamp() + ${IDLE_LIMIT}, created_at + ${MAX_AGE})
    where id = ${id} returning *`.execute(trx);
  return toSession(rows);
}

function toSession([row]: SessionRow[]): Session {
  if (!row) throw new Error("The row of a locked session is missing");
  return { ...row, refreshToken: encodeRefreshToken(row.id, BigInt(row.counter), row.refresh_key) };
}

/** Null if the session has ended or belongs to another user. */
export async function findSessionUser(db: Db, { userId, sessionId }: SessionClaims) {
  const user = await db
    .selectFrom("sessions")
    .innerJoin("users", "users.id", "sessions.user_id")
    .select(["users.id", "users.email", "sessions.id as sessionId"])
    .where("users.id", "=", userId)
    .where("sessions.id", "=", sessionId)
    .where("sessions.expires_at", ">", sql<Date>`now()`)
    .where("users.banned_at", "is", null)
    .executeTakeFirst();
  return user ?? null;
}

export async function findAccountEnd(db: Db, userId: string) {
  const user = await db.selectFrom("users").select("banned_at").where("id", "=", userId).executeTakeFirst();
  if (!user) return "user_not_found";
  return user.banned_at ? "user_banned" : null;
}

export async function countSessions(db: Db, userId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from sessions
    where user_id = ${userId} and expires_at > now()`.execute(db);
  return rows[0]?.count ?? 0;
}

/** `others`: all but the current one. */
export const signOutScopes = ["global", "local", "others"] as const;

export async function endSessions(
  db: Db,
  { id, sessionId }: SignedInUser,
  scope: (typeof signOutScopes)[number],
  deadline: Deadline,
): Promise<void> {
  await transactionBefore(db, deadline, async (trx) => {
    if (scope === "local") return endSession(trx, sessionId);
    await lockUser(trx, id);
    await signOutLockedUser(trx, id, scope === "others" ? sessionId : null);
  });
}

/** Also ends sign-in attempts (docs/product.md §6.15). @param spared a session that stays */
export async function signOutLockedUser(trx: Trx, id: string, spared: string | null = null) {
  const ended = trx.deleteFrom("sessions").where("user_id", "=", id).where("id", "is distinct from", spared);
  const unfinished = trx.deleteFrom("sign_ins").where("user_id", "=", id).where("exchanged_at", "is", null);
  return {
    sessions: Number((await ended.executeTakeFirstOrThrow()).numDeletedRows),
    signIns: Number((await unfinished.executeTakeFirstOrThrow()).numDeletedRows),
  };
}

/** Deletes them by age, too: earlier versions had no age limit. */
export async function deleteExpiredSessions(db: Db): Promise<void> {
  await sql`delete from sessions where expires_at <= now() or created_at <= now() - ${MAX_AGE}`.execute(db);
}
