import { type Kysely, sql, type Transaction } from "kysely";
import pg from "pg";
import type { Schema } from "../schema.server.ts";

/** How long a transaction may take, in ms, where nobody waits for it with less patience. */
const DEFAULT_MS = 8_000;

const ATTEMPTS = 3;

/** PostgreSQL's codes: a deadlock, a serialization failure, a row just inserted, a row just deleted. */
const conflicts = new Set(["40P01", "40001", "23505", "23503"]);

/** The deadline of a transaction has passed: nothing was written. */
export class DeadlineExceededError extends Error {
  override name = "DeadlineExceededError";
}

/** The deadline of a transaction that no request waits for, on the clock of `performance.now()`. */
export function defaultDeadline(): number {
  return performance.now() + DEFAULT_MS;
}

/**
 * Runs `work` in a transaction that commits before its deadline or not at all: what was answered as failed
 * must not become true later. Runs it again when it conflicts with another one, three times at most.
 * @param deadline on the clock of `performance.now()`
 * @throws DeadlineExceededError
 */
export async function transactionBefore<T>(
  db: Kysely<Schema>,
  deadline: number,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptBefore(db, deadline, work);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function attemptBefore<T>(
  db: Kysely<Schema>,
  deadline: number,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  requireTime(deadline); // before it takes a connection
  return db.transaction().execute(async (trx) => {
    await limitWaiting(trx, requireTime(deadline));
    const result = await work(trx);
    requireTime(deadline);
    return result;
  });
}

/** The last limit frees the locks of a server that is cut off in the middle of its transaction. */
async function limitWaiting(trx: Transaction<Schema>, left: number): Promise<void> {
  const ms = String(Math.ceil(left));
  await sql`select set_config('lock_timeout', '5s', true), set_config('statement_timeout', ${ms}, true),
    set_config('idle_in_transaction_session_timeout', ${ms}, true)`.execute(trx);
}

function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && conflicts.has(error.code ?? "");
}

/** How much time is left, in ms. */
function requireTime(deadline: number): number {
  const left = deadline - performance.now();
  if (left <= 0) throw new DeadlineExceededError("There was no time left for the transaction");
  return left;
}
