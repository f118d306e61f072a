import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import pg from "pg";
import { ask } from "./ask.server.ts";
import { type AskTogether, askTogether, type Execution } from "./batch.server.ts";
import type { Schema } from "./schema.server.ts";

/** How long a transaction may take, in ms, where nobody says by when it has to be over. */
const PATIENCE = 8_000;

/** How often to start again when somebody else came in between. */
const ATTEMPTS = 3;

/** PostgreSQL's codes for that: a deadlock, a conflict, a row that was just written, one that was just deleted. */
const cameInBetween = new Set(["40P01", "40001", "23505", "23503"]);

/** There was no time for the transaction, or no time left to commit it: nothing was written. */
export class TransactionTooLateError extends Error {
  override name = "TransactionTooLateError";
}

/**
 * Runs `work` in a transaction that is over by `latest`, on the clock of `performance.now()`, or has not happened: what was answered
 * as failed must not become true later. It starts again when somebody else came in between.
 * @param latest in 8 s unless given: for a request, by when its answer has to be decided
 */
export function inTime<T>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>) => Promise<T>,
  latest = performance.now() + PATIENCE,
): Promise<T> {
  return undisturbed(async () => {
    requireTime(latest); // not even a connection is taken for what can only be taken back
    return db.transaction().execute(async (trx) => {
      await trx.executeQuery(CompiledQuery.raw(limitWaiting.text, [timeLeft(latest)]));
      const result = await work(trx);
      requireTime(latest);
      return result;
    });
  });
}

/**
 * As `inTime`, for what comes most often: on a bare connection, with as few round trips as can be. What `work` asks for at once is sent and
 * answered at once, the beginning of the transaction with the first of it.
 */
export function inTimeOnConnection<T>(
  pool: pg.Pool,
  work: (ask: AskTogether) => Promise<T>,
  latest: number,
): Promise<T> {
  return undisturbed(async () => {
    requireTime(latest);
    const connection = await pool.connect();
    try {
      const result = await work(askAfter(connection, beginning(latest)));
      requireTime(latest);
      const { command } = await ask(connection, "commit");
      if (command !== "COMMIT") throw new Error("A statement of the transaction had failed: nothing was written");
      connection.release();
      return result;
    } catch (error) {
      await ask(connection, "rollback").then(
        () => connection.release(),
        (lost) => connection.release(lost),
      );
      throw error;
    }
  });
}

/** Asks on a connection, after these until they have been answered. */
function askAfter(connection: pg.PoolClient, first: Execution[]): AskTogether {
  let before = first;
  return async function askNext(executions) {
    const sent = [...before, ...executions];
    const answers = await askTogether(connection, sent);
    before = [];
    return answers.slice(sent.length - executions.length);
  };
}

/** Does a piece of work that changes the database again when somebody else came in between. */
export async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const again = error instanceof pg.DatabaseError && cameInBetween.has(error.code ?? "");
      if (!again || attempt === ATTEMPTS) throw error;
    }
  }
}

const begin = { name: "begin", text: "begin" };

/**
 * The limits of a transaction that may take $1 ms. What a server has locked that is cut off meanwhile must not keep the others waiting: that
 * is what the last one is for.
 */
const limitWaiting = {
  name: "limit-waiting",
  text: `select set_config('lock_timeout', '5s', true), set_config('statement_timeout', $1, true),
    set_config('idle_in_transaction_session_timeout', $1, true)`,
};

/** How a transaction begins that has to be over by then. @throws TransactionTooLateError when there is no time */
function beginning(latest: number): Execution[] {
  return [{ statement: begin }, { statement: limitWaiting, values: [timeLeft(latest)] }];
}

/** In whole ms. */
function timeLeft(latest: number): string {
  return String(Math.ceil(requireTime(latest)));
}

/** How much time is left, in ms. @throws TransactionTooLateError when there is none */
function requireTime(latest: number): number {
  const left = latest - performance.now();
  if (left <= 0) throw new TransactionTooLateError("There was no time left for the transaction");
  return left;
}
