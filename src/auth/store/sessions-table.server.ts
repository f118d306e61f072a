import { randomBytes } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { SessionClaims, Provider, SignedInUser } from "../session.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../tokens/refresh-token.server.ts";

/** A session that goes unused this long is over. */
const IDLE_LIMIT = sql`interval '90 days'`;

/** Within this time after a refresh, older tokens than the last may still come: of tabs that slept, of answers that were lost. */
const REUSE_SECONDS = 10;

export interface Session {
  id: string;
  userId: string;
  provider: Provider;
  /** The one that is good now. */
  refreshToken: string;
  createdAt: Date;
}

interface SessionRow {
  id: string;
  user_id: string;
  provider: Provider;
  refresh_key: Buffer;
  counter: string;
  created_at: Date;
}

export async function insertSession(trx: Transaction<Schema>, userId: string, provider: Provider): Promise<Session> {
  const { rows } = await sql<SessionRow>`
    insert into sessions (user_id, provider, refresh_key, expires_at)
    values (${userId}, ${provider}, ${randomBytes(32)}, now() + ${IDLE_LIMIT}) returning *`.execute(trx);
  return toSession(rows);
}

/** Why a refresh token is refused for good: its session is over, or never was. */
export type RefreshErrorCode = "refresh_token_not_found" | "refresh_token_already_used" | "session_expired";

/**
 * The session that a refresh token belongs to, with the token to use from now on: a new one for the current token; the
 * current one again for the one before it (the answer was lost, or another tab came first), and for any within ten seconds
 * of the last refresh. A token older than that was stolen or its owner's was: the session is ended.
 */
export async function refreshSession(trx: Transaction<Schema>, text: string): Promise<Session | RefreshErrorCode> {
  const token = decodeRefreshToken(text);
  if (!token) return "refresh_token_not_found";
  const { rows } = await sql<SessionRow & { recent: boolean; expired: boolean }>`
    select *, refreshed_at > clock_timestamp() - make_interval(secs => ${REUSE_SECONDS}) as recent,
      expires_at <= clock_timestamp() as expired
    from sessions where id = ${token.sessionId} for update`.execute(trx);
  const [session] = rows;
  if (!session || !token.verifyMac(session.refresh_key)) return "refresh_token_not_found";
  if (session.expired) return "session_expired";
  const age = BigInt(session.counter) - token.counter;
  if (age < 0n) return "refresh_token_not_found";
  if (age === 0n) return turnOver(trx, session.id);
  if (age === 1n || session.recent) return toSession(rows);
  await trx.deleteFrom("sessions").where("id", "=", session.id).execute();
  return "refresh_token_already_used";
}

async function turnOver(trx: Transaction<Schema>, id: string): Promise<Session> {
  const { rows } = await sql<SessionRow>`
    update sessions set counter = counter + 1, refreshed_at = clock_timestamp(), expires_at = clock_timestamp() + ${IDLE_LIMIT}
    where id = ${id} returning *`.execute(trx);
  return toSession(rows);
}

function toSession([row]: SessionRow[]): Session {
  if (!row) throw new Error("The session is gone although its row was locked");
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    refreshToken: encodeRefreshToken(row.id, BigInt(row.counter), row.refresh_key),
    createdAt: row.created_at,
  };
}

/** The user of a session; null when the session is over, or another user's. */
export async function findSessionUser(
  db: Kysely<Schema>,
  { userId, sessionId }: SessionClaims,
): Promise<SignedInUser | null> {
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

/** Which of a user's sessions to end: all, the one at hand, or all but that. */
export const signOutScopes = ["global", "local", "others"] as const;

/** @param latest by when it is done or has not happened, on the clock of `performance.now()` */
export async function endSessions(
  db: Kysely<Schema>,
  { id, sessionId }: SignedInUser,
  scope: (typeof signOutScopes)[number],
  latest: number,
): Promise<void> {
  const end = async (trx: Transaction<Schema>) => {
    let ending = trx.deleteFrom("sessions").where("user_id", "=", id);
    if (scope === "local") ending = ending.where("id", "=", sessionId);
    if (scope === "others") ending = ending.where("id", "<>", sessionId);
    await ending.execute();
  };
  await transactionBefore(db, latest, end);
}

export async function deleteExpiredSessions(db: Kysely<Schema>): Promise<void> {
  await sql`delete from sessions where expires_at <= now()`.execute(db);
}
