import { type Kysely, sql, type Transaction } from "kysely";
import pg from "pg";
import type { Schema } from "./schema.server.ts";

/** How long a transaction may take, in ms: shorter than whoever asked for it waits. */
const DEADLINE = 8_000;

/** How often to start again when somebody else came in between. */
const ATTEMPTS = 3;

/** PostgreSQL's codes for that: a deadlock, a conflict, a row that was just written, one that was just deleted. */
const cameInBetween = new Set(["40P01", "40001", "23505", "23503"]);

/** The transaction took too long and was taken back. */
class TransactionTooLateError extends Error {
  override name = "TransactionTooLateError";
}

/**
 * Runs `work` in a transaction that is over within 8 s, or has not happened: what was answered as failed must not become
 * true later. It starts again when somebody else came in between.
 */
export async function inTime<T>(db: Kysely<Schema>, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  const deadline = performance.now() + DEADLINE;
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql`select set_config('lock_timeout', '5s', true), set_config('statement_timeout', '7s', true)`.execute(
          trx,
        );
        const result = await work(trx);
        if (performance.now() > deadline) throw new TransactionTooLateError("The transaction took too long");
        return result;
      });
    } catch (error) {
      const again = error instanceof pg.DatabaseError && cameInBetween.has(error.code ?? "");
      if (!again || attempt === ATTEMPTS || performance.now() > deadline) throw error;
    }
  }
}
