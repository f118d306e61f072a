import { sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { setCounted } from "../../reviews/store/moderate-review.server.ts";

/**
 * Puts a user's reviews in quarantine or takes them out (docs/product.md §13.31). Triggers correct tallies,
 * order and notes, and keep later reviews in the same state.
 */
export function setQuarantine(db: Db, id: string, quarantined: boolean) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const user = await lockUser(trx, id);
    if (!user) return { refused: "user_not_found" } as const;
    if (user.quarantined === quarantined) return { changed: false, reviews: 0 };
    await sql`update users set quarantined_at = case when ${quarantined} then now() end
      where id = ${id}`.execute(trx);
    const reviews = await setCounted(trx, id, !quarantined);
    await writeAudit(trx, quarantined ? "quarantine" : "unquarantine", { user_id: id, reviews });
    return { changed: true, reviews };
  });
}

export async function findQuarantined(db: Db) {
  const { rows } = await sql<{ id: string; email: string; quarantined_at: Date }>`
    select id, email, quarantined_at from users where quarantined_at is not null
    order by quarantined_at`.execute(db);
  return rows;
}
