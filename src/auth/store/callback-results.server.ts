import { createHash, createHmac } from "node:crypto";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";
import type { SignIn } from "../tokens/sign-in-state.server.ts";

/** For how long a repeated callback gets the result of the first, in seconds (docs/product.md §6.7). */
const REPEAT_SECONDS = 60;

/**
 * Returns the code of a sign-in: the same for the same callback. Without the callback, which has the provider's
 * own code and is stored nowhere, the database does not reveal it.
 */
export function deriveCode(
  { providerVerifier }: Pick<SignIn, "providerVerifier">,
  callback: URLSearchParams,
): string {
  return createHmac("sha256", providerVerifier).update(callback.toString()).digest("base64url");
}

/** What became of a callback that arrived before. */
export type CallbackResult =
  | { kind: "pending" }
  /** The browser has not exchanged the code yet. */
  | { kind: "completed"; redirectTo: string; code: string }
  /** The sign-in failed, or the code was exchanged. */
  | { kind: "ended"; location: string };

/**
 * Returns the result of a sign-in's callback that arrived before; null if there was none within the last
 * minute.
 */
export async function findCallbackResult(
  db: Kysely<Schema>,
  signIn: SignIn,
  callback: URLSearchParams,
): Promise<CallbackResult | null> {
  const { rows } = await sql<{ codeHash: Buffer | null }>`
    select code_hash as "codeHash" from flows
    where state = ${signIn.id} and returned_at > now() - make_interval(secs => ${REPEAT_SECONDS})`.execute(
    db,
  );
  const [flow] = rows;
  if (!flow) return findEnd(db, callback);
  if (!flow.codeHash) return { kind: "pending" };
  const code = deriveCode(signIn, callback);
  return flow.codeHash.equals(hash(code)) ? { kind: "completed", redirectTo: signIn.redirectTo, code } : null;
}

async function findEnd(db: Kysely<Schema>, callback: URLSearchParams): Promise<CallbackResult | null> {
  const { rows } = await sql<{ location: string }>`
    select location from callback_results where callback_hash = ${hash(callback.toString())}
      and created_at > now() - make_interval(secs => ${REPEAT_SECONDS})`.execute(db);
  return rows[0] ? { kind: "ended", ...rows[0] } : null;
}

/** Stores where a callback leads to, once its flow is deleted. */
export async function insertResult(
  db: Kysely<Schema>,
  callback: URLSearchParams,
  location: string,
): Promise<void> {
  await sql`insert into callback_results (callback_hash, location)
    values (${hash(callback.toString())}, ${location}) on conflict do nothing`.execute(db);
}

/** Deletes the flow of a callback that failed, and stores where the callback leads to. */
export async function storeFailure(
  db: Kysely<Schema>,
  { id }: SignIn,
  callback: URLSearchParams,
  location: string,
): Promise<void> {
  await sql`with deleted as (delete from flows where state = ${id})
    insert into callback_results (callback_hash, location)
    values (${hash(callback.toString())}, ${location}) on conflict do nothing`.execute(db);
}

/**
 * Deletes results that no repeated callback gets any more. Rows that another instance deletes are skipped.
 */
export async function deleteOldResults(db: Kysely<Schema>): Promise<void> {
  await sql`delete from callback_results where callback_hash in (
    select callback_hash from callback_results
    where created_at < now() - make_interval(secs => ${REPEAT_SECONDS}) for update skip locked)`.execute(db);
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
