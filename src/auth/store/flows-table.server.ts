import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import type { Provider } from "../session.ts";

/**
 * The time limit of a sign-in in seconds, the provider's screens included (docs/product.md §6.7): enough to
 * make an account there, or to find the second factor.
 */
const FLOW_SECONDS = 900;

/** A sign-in in progress. */
export interface Flow {
  /** OAuth's state parameter: 43 characters of base64url, which the provider returns. */
  state: string;
  provider: Provider;
  /** The S256 PKCE challenge of the browser, which keeps the verifier. */
  challenge: string;
  redirectTo: string;
  nonce: string;
  /** The PKCE verifier of our own exchange with the provider. */
  providerVerifier: string;
}

/** Returns 256 random bits as 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Whether a text may be one of `randomToken`. */
export function isRandomToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** The limit of stored flows, completed and expired ones included: far more than are under way at a time. */
const MAX_FLOWS = 10_000;

/** Stores a flow. Clients can start any number of them, so beyond `max` the oldest are evicted. */
export async function insertFlow(db: Kysely<Schema>, flow: Flow, max = MAX_FLOWS): Promise<void> {
  // Flows that a concurrent sign-in has locked are skipped, neither evicted nor waited for.
  await sql`delete from flows where state in (
    select state from flows
    where expires_at <= (select expires_at from flows order by expires_at desc offset ${max - 1} limit 1)
    for update skip locked)`.execute(db);
  await sql`insert into flows (state, provider, challenge, redirect_to, nonce, provider_verifier, expires_at)
    values (${flow.state}, ${flow.provider}, ${flow.challenge}, ${flow.redirectTo}, ${flow.nonce},
      ${flow.providerVerifier}, now() + make_interval(secs => ${FLOW_SECONDS}))`.execute(db);
}

/** Claims the flow of a state, once. Null if the state is unknown, expired, or was claimed before. */
export async function claimFlow(db: Kysely<Schema>, state: string): Promise<Flow | null> {
  if (!isRandomToken(state)) return null;
  const { rows } = await sql<Flow>`
    update flows set returned_at = now() where state = ${state} and returned_at is null and expires_at > now()
    returning state, provider, challenge, redirect_to as "redirectTo", nonce, provider_verifier as "providerVerifier"
  `.execute(db);
  return rows[0] ?? null;
}

/** Assigns the user to a flow, and the one-time code that the browser exchanges for a session. */
export async function completeFlow(
  trx: Transaction<Schema>,
  state: string,
  { userId, code }: { userId: string; code: string },
): Promise<void> {
  await trx
    .updateTable("flows")
    .set({ user_id: userId, code_hash: hash(code) })
    .where("state", "=", state)
    .execute();
}

/**
 * Deletes a flow and returns its user, given its code and the browser's verifier. Runs in the caller's
 * transaction: of concurrent requests one gets the flow, and the rollback after a wrong verifier keeps it.
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
  if (!flow)
    throw new HttpError(404, "flow_state_not_found", "This sign-in is not known, or was finished before.");
  if (flow.expired)
    throw new HttpError(422, "flow_state_expired", "This sign-in took too long. Please try again.");
  if (!timingSafeEqual(hash(flow.challenge), hash(pkceChallenge(verifier)))) {
    throw new HttpError(400, "bad_code_verifier", "This sign-in was begun elsewhere.");
  }
  return { userId: flow.userId, provider: flow.provider };
}

/** Returns the S256 challenge of a PKCE verifier (RFC 7636, 4.2). */
export function pkceChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Deletes flows that expired over an hour ago. Until then a late code gets `flow_state_expired`. */
export async function deleteExpiredFlows(db: Kysely<Schema>): Promise<void> {
  await sql`delete from flows where expires_at < now() - interval '1 hour'`.execute(db);
}
