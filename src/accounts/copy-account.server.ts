import { copyUser } from "../auth/store/read-user.server.ts";
import { findAudit } from "../database/audit-log.server.ts";
import type { Db } from "../database/schema.server.ts";
import { copyReports } from "../moderation/store/report-queue.server.ts";
import { copyWriteCounts } from "../reviews/store/review-limits-table.server.ts";
import { copyReviews, findMovesOf } from "../reviews/store/reviews-of-user.server.ts";

/** Reads everything stored about a user, as one snapshot. Null if there is no such user. */
export function copyAccount(db: Db, id: string): Promise<object | null> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const user = await copyUser(trx, id);
      if (!user) return null;
      return {
        ...user,
        ...(await copyReviews(trx, id)),
        ...(await copyReports(trx, id)),
        writes_counted: await copyWriteCounts(trx, id),
        operators_notes: await findAudit(trx, { userId: id, ids: await findMovesOf(trx, id) }),
      };
    });
}
