import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import type { Provider } from "../session.ts";

/** A sign-in under way, as it was begun. It is good for 300 s, the provider's own screens included. */
export interface Flow {
  /** What the provider gives back: 43 characters of base64url. */
  state: string;
  provider: Provider;
  /** S256, of a verifier that only the browser knows. */
  challenge: string;
  redirectTo: string;
  nonce: string;
  /** Of our own exchange with the provider. */
  providerVerifier: string;
}

/** 256 random bits in base64url. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

const isRandomText = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text);

/** How many flows are kept, finished and expired ones included: far more than people sign in within 300 s. */
const MAX_FLOWS = 10_000;

/** Stores a flow. Anybody can begin as many as they like, so that beyond a number the oldest make room. */
export async function insertFlow(db: Kysely<Schema>, flow: Flow, most = MAX_FLOWS): Promise<void> {
  // Those that a sign-in is just finishing are left alone, and not waited for.
  await sql`delete from flows where state in (
    select state from flows
    where expires_at <= (select expires_at from flows order by expires_at desc offset ${most - 1} limit 1)
    for update skip locked)`.execute(db);
  await sql`insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at)
    values (${flow.state}, ${flow.provider}, ${flow.challenge}, ${flow.redirectTo}, ${flow.nonce},
      ${flow.providerVerifier}, now() + interval '300 seconds')`.execute(db);
}

/** The flow of a state that came back for the first time and in time; else null. */
export async function claimFlow(db: Kysely<Schema>, state: string): Promise<Flow | null> {
  if (!isRandomText(state)) return null;
  const { rows } = await sql<Flow>`
    update flows set returned_at = now() where state = ${state} and returned_at is null and expires_at > now()
    returning state, provider, challenge, redirect_to as "redirectTo", nonce, provider_verifier as "providerVerifier"
  `.execute(db);
  return rows[0] ?? null;
}

/** The sign-in succeeded: answers the code that the browser exchanges, once. */
export async function completeFlow(trx: Transaction<Schema>, state: string, userId: string): Promise<string> {
  const code = randomToken();
  await trx
    .updateTable("flows")
    .set({ user_id: userId, code_hash: hash(code) })
    .where("state", "=", state)
    .execute();
  return code;
}

export async function deleteFlow(db: Kysely<Schema>, state: string): Promise<void> {
  await db.deleteFrom("flows").where("state", "=", state).execute();
}

/**
 * Takes a flow out by its code, for the browser that knows the verifier. In a transaction, so that a code works once
 * whatever comes at the same time, and is kept when the verifier is wrong.
 * @throws HttpError 404 `flow_state_not_found`, 422 `flow_state_expired`, 400 `bad_code_verifier`
 */
export async function redeemFlow(
  trx: Transaction<Schema>,
  code: string,
  verifier: string,
): Promise<{ userId: string; provider: Provider }> {
  const { rows } = await sql<{ challenge: string; provider: Provider; userId: string; expired: boolean }>`
    delete from flows where code_hash = ${hash(code)}
    returning challenge, provider, user_id as "userId", expires_at <= now() as expired`.execute(trx);
  const [flow] = rows;
  if (!flow) throw new HttpError(404, "flow_state_not_found", "This sign-in is not known, or was finished before.");
  if (flow.expired) throw new HttpError(422, "flow_state_expired", "This sign-in took too long. Please try again.");
  if (!timingSafeEqual(hash(flow.challenge), hash(pkceChallenge(verifier)))) {
    throw new HttpError(400, "bad_code_verifier", "This sign-in was begun elsewhere.");
  }
  return { userId: flow.userId, provider: flow.provider };
}

/** The S256 challenge of a verifier (RFC 7636, 4.2). */
export function pkceChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Removes flows that were over an hour ago: until then a late one is told that it took too long. */
export async function deleteExpiredFlows(db: Kysely<Schema>): Promise<void> {
  await sql`delete from flows where expires_at < now() - interval '1 hour'`.execute(db);
}
