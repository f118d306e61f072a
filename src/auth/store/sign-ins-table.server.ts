import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { Db, Trx } from "../../database/schema.server.ts";
import type { Provider } from "../../domain/account.ts";
import { sha256 } from "../../lib/hash.server.ts";
import type { SignInAttempt } from "../tokens/sign-in-attempt.server.ts";
import { lockUsers } from "./lock-users.server.ts";

export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

const MAX_ATTEMPTS = 10_000;

/** How long a code is valid after the callback (docs/product.md §6.7). */
const CODE_SECONDS = 120;

/** For this long, a repeated callback gets the first one's result (docs/product.md §6.7). */
const REPEAT_SECONDS = 60;

/** For this long, a repeated exchange gets the first one's session: browsers repeat lost requests. */
const EXCHANGE_REPEAT_SECONDS = 10;

/** False if it was claimed before. Finished attempts are evicted first, so that failures evict no code. */
export async function claimAttempt(
  db: Db,
  { id, provider, challenge }: SignInAttempt,
  callback: URLSearchParams,
  max = MAX_ATTEMPTS,
): Promise<boolean> {
  // Skips rows that a concurrent sign-in has locked, and does not wait for them.
  await sql`delete from sign_ins where id in (
    select id from sign_ins
    order by location is null or (code_hash is not null and exchanged_at is null) desc, returned_at desc
    offset ${max - 1} for update skip locked)`.execute(db);
  const { rows } = await sql`
    insert into sign_ins (id, provider, challenge, callback_hash, expires_at)
    values (${id}, ${provider}, ${challenge}, ${hashOf(callback)}, now() + make_interval(secs => ${CODE_SECONDS}))
    on conflict (id) do nothing returning id`.execute(db);
  return rows.length > 0;
}

interface CompletedAttempt {
  userId: string;
  code: string;
  location: string;
  authenticatedAgo: number | null;
}

export async function completeAttempt(
  trx: Trx,
  id: string,
  { userId, code, location, authenticatedAgo }: CompletedAttempt,
): Promise<void> {
  await sql`update sign_ins set user_id = ${userId}, code_hash = ${sha256(code)}, location = ${location},
      authenticated_at = clock_timestamp() - make_interval(secs => ${authenticatedAgo})
    where id = ${id}`.execute(trx);
}

export async function failAttempt(db: Db, id: string, location: string): Promise<void> {
  await db.updateTable("sign_ins").set({ location }).where("id", "=", id).execute();
}

/** Undefined after a minute. `location` is null while the first callback is handled. */
export async function findCallback(db: Db, { id }: SignInAttempt, callback: URLSearchParams) {
  const { rows } = await sql<{ location: string | null; hasCode: boolean }>`
    select location, code_hash is not null and exchanged_at is null as "hasCode" from sign_ins
    where id = ${id} and callback_hash = ${hashOf(callback)}
      and returned_at > now() - make_interval(secs => ${REPEAT_SECONDS})`.execute(db);
  return rows[0];
}

/** Equal callbacks get equal codes. The callback is not stored, so the database does not reveal the code. */
export function deriveCode(
  { providerVerifier }: Pick<SignInAttempt, "providerVerifier">,
  callback: URLSearchParams,
): string {
  return createHmac("sha256", providerVerifier).update(callback.toString()).digest("base64url");
}

interface LockedAttempt {
  id: string;
  userId: string;
  provider: Provider;
  challenge: string;
  expired: boolean;
  isExchanged: boolean;
  /** The first exchange was too long ago: this one is not a repeat of it. */
  isReused: boolean;
  /** Created by the first exchange. Null before it, and once the session has ended. */
  sessionId: string | null;
}

interface ExchangeRefusal {
  refused: "flow_state_not_found" | "bad_code_verifier" | "flow_state_expired";
  userId: string | null;
  provider: Provider | null;
}

/** Locks user and attempt of a code, so that concurrent exchanges and sign-outs run one after another. */
export async function lockAttempt(
  trx: Trx,
  code: string,
  verifier: string,
): Promise<LockedAttempt | ExchangeRefusal> {
  await lockUsers(trx, sql`id = (select user_id from sign_ins where code_hash = ${sha256(code)})`);
  const { rows } = await sql<LockedAttempt>`
    select id, challenge, provider, user_id as "userId", session_id as "sessionId",
      expires_at <= now() as expired, exchanged_at is not null as "isExchanged",
      coalesce(exchanged_at <= clock_timestamp() - make_interval(secs => ${EXCHANGE_REPEAT_SECONDS}), false) as "isReused"
    from sign_ins where code_hash = ${sha256(code)} for update`.execute(trx);
  const [attempt] = rows;
  if (!attempt) return { refused: "flow_state_not_found", userId: null, provider: null };
  const { userId, provider } = attempt;
  const challenge = sha256(verifier).toString("base64url"); // S256 (RFC 7636, 4.2)
  if (!timingSafeEqual(sha256(attempt.challenge), sha256(challenge)))
    return { refused: "bad_code_verifier", userId, provider };
  if (attempt.expired && !attempt.isExchanged) return { refused: "flow_state_expired", userId, provider };
  return attempt;
}

export async function linkSession(trx: Trx, id: string, sessionId: string): Promise<void> {
  await sql`
    update sign_ins set exchanged_at = now(), session_id = ${sessionId} where id = ${id}`.execute(trx);
}

function hashOf(callback: URLSearchParams): Buffer {
  return sha256(callback.toString());
}

/** After an hour the state has expired by every clock. Until then a late code gets its own error. */
export async function deleteOldAttempts(db: Db): Promise<void> {
  await sql`delete from sign_ins where returned_at < now() - interval '1 hour'`.execute(db);
}
