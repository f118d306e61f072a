import { sql } from "kysely";
import pg from "pg";
import type { Db, Trx } from "../schema.server.ts";

const DEFAULT_MS = 8_000;

const ATTEMPTS = 3;

const conflicts = new Set(["40P01", "40001", "23505", "23503"]);

export class DeadlineExceededError extends Error {
  override name = "DeadlineExceededError";
}

/** On the clock of `performance.now()`. */
export function defaultDeadline(): number {
  return performance.now() + DEFAULT_MS;
}

/**
 * Commits before the deadline or not at all: a write that was reported as failed must not be committed later.
 * Only a COMMIT whose response is lost or late may have been executed (docs/product.md §5.15). Retries conflicts.
 * @param deadline on the clock of `performance.now()`
 * @throws DeadlineExceededError
 */
export async function transactionBefore<T>(
  db: Db,
  deadline: number,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    requireTime(deadline); // before taking a connection from the pool
    try {
      // The role or the database may set another default, and a pooler does not keep ours.
      const transaction = db.transaction().setIsolationLevel("read committed");
      return await transaction.execute(async (trx) => {
        await setTimeouts(trx, requireTime(deadline));
        const result = await work(trx);
        requireTime(deadline);
        return result;
      });
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The idle timeout releases the locks of an instance that loses its network during a transaction. */
async function setTimeouts(trx: Trx, left: number): Promise<void> {
  const ms = String(Math.ceil(left));
  await sql`select set_config('lock_timeout', '5s', true), set_config('statement_timeout', ${ms}, true),
    set_config('idle_in_transaction_session_timeout', ${ms}, true)`.execute(trx);
}

function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && conflicts.has(error.code ?? "");
}

function requireTime(deadline: number): number {
  const left = deadline - performance.now();
  if (left <= 0) throw new DeadlineExceededError("There was no time left for the transaction");
  return left;
}
