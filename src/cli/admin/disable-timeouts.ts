import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/** Disables the timeouts of a transaction: an export or import may be large, and its stream slow. */
export async function disableTimeouts(trx: Transaction<Schema>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`.execute(trx);
}
