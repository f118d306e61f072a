import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { Schema, Trx } from "../schema.server.ts";

/**
 * A transaction without time limits. `COPY` needs the client of its connection. An abort or failure closes the
 * connection, because an interrupted `COPY` would block the rollback.
 */
export async function sessionTransaction<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (trx: Trx, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const disconnect = () => client.connection.stream.destroy();
  signal.addEventListener("abort", disconnect);
  const own = { connect: async () => client, end: async () => {}, options: pool.options };
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: own }) });
  let failure: unknown;
  const transaction = db.transaction().execute(async (trx) => {
    try {
      await sql`select set_config('statement_timeout', '0', true),
        set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
      const result = await work(trx, client);
      signal.throwIfAborted();
      signal.removeEventListener("abort", disconnect); // the result of the COMMIT must be known
      return result;
    } catch (error) {
      failure = error;
      disconnect();
      throw error;
    }
  });
  return transaction.catch((error: unknown) => Promise.reject(failure ?? error)); // `error` may be of the rollback
}
