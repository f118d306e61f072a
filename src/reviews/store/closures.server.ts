import { sql } from "kysely";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";

/** @param showId null for all shows (docs/product.md §13.16) */
export function closeReviews(db: Db, showId: string | null): Promise<{ refused: "already_closed" } | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql`
      insert into review_closures (show_id) values (${showId}) on conflict do nothing
      returning show_id`.execute(trx);
    if (rows.length === 0) return { refused: "already_closed" };
    await writeAudit(trx, "close-reviews", { show_id: showId ?? "all" });
    return null;
  });
}

/** Returns how many other closures remain. */
export function openReviews(db: Db, showId: string | null) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql`
      delete from review_closures where show_id is not distinct from ${showId}
      returning show_id`.execute(trx);
    if (rows.length > 0) await writeAudit(trx, "open-reviews", { show_id: showId ?? "all" });
    const left = await sql<{ closures: number }>`
      select count(*)::integer as closures from review_closures`.execute(trx);
    const { closures = 0 } = left.rows[0] ?? {};
    return rows.length > 0 ? { closures } : ({ refused: "not_closed", closures } as const);
  });
}
