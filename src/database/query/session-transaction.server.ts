import { type IsolationLevel, Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import type pg from "pg";
import type { Schema } from "../schema.server.ts";

interface SessionOptions {
  isolation: IsolationLevel;
  signal: AbortSignal;
}

/**
 * A transaction without time limits, with the client of its connection, which `COPY` needs. An abort or a failure closes
 * the connection: a `COPY` that broke off would keep a rollback waiting.
 */
export async function sessionTransaction<T>(
  pool: pg.Pool,
  { isolation, signal }: SessionOptions,
  work: (trx: Transaction<Schema>, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const disconnect = () => client.connection.stream.destroy();
  signal.addEventListener("abort", disconnect);
  try {
    const own = { connect: async () => client, end: async () => {}, options: pool.options };
    const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: own }) });
    const trx = await db.startTransaction().setIsolationLevel(isolation).execute();
    await sql`select set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
    const result = await work(trx, client);
    signal.throwIfAborted();
    signal.removeEventListener("abort", disconnect); // whether a COMMIT was executed must be known
    await trx.commit().execute();
    return result;
  } catch (error) {
    disconnect();
    client.release(true);
    throw error;
  }
}
