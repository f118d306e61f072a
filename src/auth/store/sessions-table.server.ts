import { randomBytes } from "node:crypto";
import { type Kysely, type Selectable, sql, type Transaction } from "kysely";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { Provider, SessionClaims, SignedInUser } from "../session.ts";
import { decodeRefreshToken, encodeRefreshToken } from "../tokens/refresh-token.server.ts";
import { lockUser } from "./lock-users.server.ts";

/** Without a refresh (docs/product.md §6.11). */
const IDLE_LIMIT = sql`interval '90 days'`;

/** However much it is used (docs/product.md §6.11). */
const MAX_AGE = sql`interval '180 days'`;

const MAX_SESSIONS = 20;

/** Tabs that slept and lost responses may still send older tokens. */
const REUSE_SECONDS = 10;

type SessionRow = Selectable<Schema["sessions"]>;

export type Session = SessionRow & { refreshToken: string };

/** If the user has too many sessions, the one that was unused for the longest time ends. */
export async function insertSession(
  trx: Transaction<Schema>,
  userId: string,
  provider: Provider,
): Promise<Session> {
  // Sign-ins of one user take turns, so that none overlooks the other's session.
  await lockUser(trx, userId);
  await sql`delete from sessions where id in (
    select id from sessions where user_id = ${userId} order by refreshed_at desc offset ${MAX_SESSIONS - 1})`.execute(
    trx,
  );
  const { rows } = await sql<SessionRow>`
    insert into sessions (user_id, provider, refresh_key, expires_at)
    values (${userId}, ${provider}, ${randomBytes(32)}, now() + ${IDLE_LIMIT}) returning *`.execute(trx);
  return toSession(rows);
}

export type AccountEnd = "user_banned" | "user_not_found";

export type RefreshErrorCode =
  | "refresh_token_not_found"
  | "refresh_token_already_used"
  | "session_expired"
  | AccountEnd;

/**
 * Rotates the current token (docs/product.md §6.13). The previous one (its response was lost, or another tab
 * was faster) gets the current one, and so does any within the reuse window. An older one counts as stolen.
 */
export async function refreshSession(
  trx: Transaction<Schema>,
  text: string,
): Promise<Session | RefreshErrorCode> {
  const token = decodeRefreshToken(text);
  if (!token) return "refresh_token_not_found";
  const { rows } = await sql<SessionRow & { recent: boolean; expired: boolean; banned: boolean }>`
    select *, (select banned_at is not null from users where users.id = user_id) as banned, refreshed_at > clock_timestamp() - make_interval(secs => ${REUSE_SECONDS}) as recent,
      least(expires_at, created_at + ${MAX_AGE}) <= clock_timestamp() as expired
    from sessions where id = ${token.sessionId} for update`.execute(trx);
  const [session] = rows;
  if (!session || !token.verifyMac(session.refresh_key)) return "refresh_token_not_found";
  if (session.banned) return "user_banned";
  if (session.expired) return "session_expired";
  const age = BigInt(session.counter) - token.counter;
  if (age < 0n) return "refresh_token_not_found";
  if (age === 0n) return rotate(trx, session.id);
  if (age === 1n || session.recent) return toSession(rows);
  await trx.deleteFrom("sessions").where("id", "=", session.id).execute();
  return "refresh_token_already_used";
}

async function rotate(trx: Transaction<Schema>, id: string): Promise<Session> {
  const { rows } = await sql<SessionRow>`
    update sessions set counter = counter + 1, refreshed_at = clock_timestamp(),
      expires_at = least(clock_timestamp() + ${IDLE_LIMIT}, created_at + ${MAX_AGE})
    where id = ${id} returning *`.execute(trx);
  return toSession(rows);
}

function toSession([row]: SessionRow[]): Session {
  if (!row) throw new Error("The session is gone although its row was locked");
  return { ...row, refreshToken: encodeRefreshToken(row.id, BigInt(row.counter), row.refresh_key) };
}

/** Null if the session has ended or belongs to another user. */
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

export async function findAccountEnd(db: Kysely<Schema>, userId: string): Promise<AccountEnd | null> {
  const user = await db.selectFrom("users").select("banned_at").where("id", "=", userId).executeTakeFirst();
  if (!user) return "user_not_found";
  return user.banned_at && "user_banned";
}

/** `others`: all but the current one. */
export const signOutScopes = ["global", "local", "others"] as const;

/** @param deadline on the clock of `performance.now()` */
export async function endSessions(
  db: Kysely<Schema>,
  { id, sessionId }: SignedInUser,
  scope: (typeof signOutScopes)[number],
  deadline: number,
): Promise<void> {
  const end = async (trx: Transaction<Schema>) => {
    let ending = trx.deleteFrom("sessions").where("user_id", "=", id);
    if (scope === "local") ending = ending.where("id", "=", sessionId);
    if (scope === "others") ending = ending.where("id", "<>", sessionId);
    await ending.execute();
  };
  await transactionBefore(db, deadline, end);
}

/** By age, too: earlier versions did not limit it. */
export async function deleteExpiredSessions(db: Kysely<Schema>): Promise<void> {
  await sql`delete from sessions where expires_at <= now() or created_at <= now() - ${MAX_AGE}`.execute(db);
}
