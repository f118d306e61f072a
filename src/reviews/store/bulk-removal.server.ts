import { sql } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { matches, type ReviewFilter } from "./operator-reviews.server.ts";
import { deleteReviews } from "./reviews-table.server.ts";

const BATCH_SIZE = 500;

export interface RemovalCounts {
  reviews: number;
  shows: number;
  users: number;
}

export async function countReviews(db: Db, filter: ReviewFilter): Promise<RemovalCounts> {
  const { rows } = await sql<RemovalCounts>`
    select count(*)::integer as reviews, count(distinct show_id)::integer as shows,
      count(distinct user_id)::integer as users
    from reviews where ${matches(filter)}`.execute(db);
  return rows[0] ?? { reviews: 0, shows: 0, users: 0 };
}

/** Removes in short batches. Each is in the audit log. Returns the number of removed reviews. */
export async function removeReviews(db: Db, filter: ReviewFilter): Promise<number> {
  let removed = 0;
  for (;;) {
    const batch = await removeBatch(db, filter);
    if (batch === null) return removed;
    removed += batch;
  }
}

/** Returns the number of removed reviews; null if none is left. */
function removeBatch(db: Db, filter: ReviewFilter): Promise<number | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql<{ show_id: string; user_id: string }>`
      select show_id, user_id from reviews where ${matches(filter)} limit ${BATCH_SIZE}`.execute(trx);
    if (rows.length === 0) return null;
    const [shows, users] = [rows.map(({ show_id }) => show_id), rows.map(({ user_id }) => user_id)];
    await lockUsers(trx, sql`id = any (${users}::uuid[])`);
    const isOfBatch = sql`(show_id, user_id) in (select * from unnest(${shows}::text[], ${users}::uuid[]))`;
    const reviews = await deleteReviews(trx, sql`${isOfBatch} and ${matches(filter)}`);
    const { showId, userId, since } = filter;
    await writeAudit(trx, "remove-reviews", {
      ...(showId !== undefined && { show_id: showId }),
      ...(userId !== undefined && { user_id: userId }),
      ...(since && { since: since.toISOString() }),
      reviews,
    });
    return reviews;
  });
}
