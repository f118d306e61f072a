import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/** Lets a transaction take as long as it takes: there may be much to do, and whoever reads or sends the lines may be slow. */
export async function takeAnyTime(trx: Transaction<Schema>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
    trx,
  );
}
