import { sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { OperatorError } from "../../lib/error-message.ts";
import { lockReview, markReview, type ReviewKey } from "../../reviews/store/moderate-review.server.ts";

/** Shows notes whose report was deleted (docs/product.md §13.17). @throws OperatorError without any */
export function unhideNotes(db: Db, key: ReviewKey): Promise<void> {
  const { showId, userId } = key;
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockUser(trx, userId);
    const review = await lockReview(trx, key);
    if (!review?.noteId)
      throw new OperatorError("This user has no notes of this show, or they were removed.");
    if (!review.hiddenAt) throw new OperatorError("These notes are not hidden.");
    const { rows } = await sql<{ id: string; decision: string | null }>`
      select id, (select max(id) from decisions where report_id = reports.id and undone_at is null) as decision
      from reports where author_id = ${userId} and show_id = ${showId}
      order by decided_at is null desc, id desc limit 1`.execute(trx);
    if (rows[0]?.decision)
      throw new OperatorError(`A report of them is there: npm run admin -- undo ${rows[0].decision}`);
    if (rows[0])
      throw new OperatorError(
        `A report of them waits: decide on report ${rows[0].id}, by a link: npm run admin -- queue-link <name>`,
      );
    await markReview(trx, key, { hidden_rule: null });
    await writeAudit(trx, "unhide-notes", { show_id: showId, user_id: userId });
  });
}
