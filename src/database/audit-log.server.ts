import type { Transaction } from "kysely";
import type { Schema } from "./schema.server.ts";

/**
 * Writes down what the operator does, in the transaction that does it.
 * @param details ids and counts: nobody's e-mail, no notes
 */
export async function writeAudit(
  trx: Transaction<Schema>,
  action: string,
  details: Record<string, string | number>,
): Promise<void> {
  await trx
    .insertInto("audit")
    .values({ action, details: JSON.stringify(details) })
    .execute();
}
