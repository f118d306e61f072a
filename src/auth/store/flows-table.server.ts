import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import { HttpError } from "../../http/requests/errors.server.ts";
import type { Provider } from "../session.ts";
import { SIGN_IN_SECONDS, type SignIn } from "../tokens/sign-in-state.server.ts";

/** Returns 256 random bits as 43 characters of base64url. */
export function randomToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The limit of stored flows, completed and expired ones included: far more than come back at a time. */
const MAX_FLOWS = 10_000;

/**
 * Claims a sign-in that comes back from its provider, and stores its flow until the browser has exchanged the
 * code. Returns false if its state was used before. Beyond `max` flows the oldest are evicted.
 */
export async function claimSignIn(db: Kysely<Schema>, signIn: SignIn, max = MAX_FLOWS): Promise<boolean> {
  const { id, provider, challenge } = signIn;
  // Flows that a concurrent sign-in has locked are skipped, neither evicted nor waited for.
  await sql`delete from flows where state in (
    select state from flows
    where expires_at <= (select expires_at from flows order by expires_at desc offset ${max - 1} limit 1)
    for update skip locked)`.execute(db);
  const { rows } = await sql`
    with used as (insert into used_states (id) values (${id}) on conflict do nothing returning id)
    insert into flows (state, provider, challenge, returned_at, expires_at)
    select id, ${provider}, ${challenge}, now(), now() + make_interval(secs => ${SIGN_IN_SECONDS}) from used
    returning state`.execute(db);
  return rows.length > 0;
}

/** Assigns the user to a flow, and the one-time code that the browser exchanges for a session. */
export async function completeFlow(
  trx: Transaction<Schema>,
  id: string,
  { userId, code }: { userId: string; code: string },
): Promise<void> {
  await trx
    .updateTable("flows")
    .set({ user_id: userId, code_hash: hash(code) })
    .where("state", "=", id)
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

/**
 * Deletes flows that expired over an hour ago: until then a late code gets `flow_state_expired`. Forgets
 * which states were used once they have expired by any instance's clock.
 */
export async function deleteExpiredFlows(db: Kysely<Schema>): Promise<void> {
  await sql`delete from flows where expires_at < now() - interval '1 hour'`.execute(db);
  await sql`delete from used_states where used_at < now() - interval '1 hour'`.execute(db);
}
