import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/**
 * Counts an event in its year, in the transaction that makes it.
 * @param by -1 to take one away
 * @param at when the event was; null for now
 */
export async function countEvent(
  trx: Transaction<Schema>,
  event: Schema["moderation_counts"]["event"],
  by: 1 | -1 = 1,
  at: Date | null = null,
): Promise<void> {
  await sql`
    insert into moderation_counts (year, event, count)
    values (extract(year from coalesce(${at}::timestamptz, now()) at time zone 'UTC'), ${event}, greatest(${by}::integer, 0))
    on conflict (year, event) do update set count = greatest(moderation_counts.count + ${by}::integer, 0)`.execute(
    trx,
  );
}
