import { sql } from "kysely";
import pg from "pg";
import type { Deadline } from "../../lib/bounded-wait.ts";
import type { Db, Trx } from "../schema.server.ts";

const DEFAULT_MS = 8_000;

const ATTEMPTS = 4;

const conflicts = new Set(["40P01", "40001", "23505", "23503"]);

export class DeadlineExceededError extends Error {
  override name = "DeadlineExceededError";
}

export function defaultDeadline(ms = DEFAULT_MS): Deadline {
  return { at: performance.now() + ms, isCommitting: false };
}

/**
 * Commits before the deadline or not at all: a write that was reported as failed must not be committed later.
 * Only a COMMIT whose response is lost or late may have been executed (docs/product.md §5.15). Retries conflicts.
 * Sets the deadline's `isCommitting`.
 * @throws DeadlineExceededError
 */
export async function transactionBefore<T>(
  db: Db,
  deadline: Deadline,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    deadline.isCommitting = false;
    requireTime(deadline); // before taking a connection from the pool
    try {
      // The role or the database may set another default, and a pooler does not keep ours.
      const transaction = db.transaction().setIsolationLevel("read committed");
      return await transaction.execute(async (trx) => {
        await setTimeouts(trx, requireTime(deadline));
        const result = await work(trx);
        requireTime(deadline);
        deadline.isCommitting = true;
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

function requireTime({ at }: Deadline): number {
  const left = at - performance.now();
  if (left <= 0) throw new DeadlineExceededError("There was no time left for the transaction");
  return left;
}
