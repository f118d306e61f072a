import { type IsolationLevel, Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import type pg from "pg";
import type { Schema } from "../schema.server.ts";

/**
 * A transaction without time limits, with the client of its connection, which `COPY` needs. An abort or a failure closes
 * the connection: a `COPY` that broke off would keep a rollback waiting.
 */
export async function sessionTransaction<T>(
  pool: pg.Pool,
  isolation: IsolationLevel,
  signal: AbortSignal,
  work: (trx: Transaction<Schema>, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const disconnect = () => client.connection.stream.destroy();
  signal.addEventListener("abort", disconnect);
  const own = { connect: async () => client, end: async () => {}, options: pool.options };
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: own }) });
  let failure: unknown;
  const transaction = db
    .transaction()
    .setIsolationLevel(isolation)
    .execute(async (trx) => {
      try {
        await sql`select set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
        const result = await work(trx, client);
        signal.throwIfAborted();
        signal.removeEventListener("abort", disconnect); // whether a COMMIT was executed must be known
        return result;
      } catch (error) {
        failure = error;
        disconnect();
        throw error;
      }
    });
  return transaction.catch((error: unknown) => Promise.reject(failure ?? error)); // not the rollback's
}
