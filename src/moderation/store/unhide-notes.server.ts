import { sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import { lockReview, markReview, type ReviewKey } from "../../reviews/store/moderate-review.server.ts";

export type UnhideRefusal =
  | { refused: "no_notes" | "not_hidden" }
  | { refused: "report_decided"; decisionId: string }
  | { refused: "report_waits"; reportId: string };

/** Shows notes whose report was deleted (docs/product.md §13.17). */
export function unhideNotes(db: Db, key: ReviewKey): Promise<UnhideRefusal | null> {
  const { showId, userId } = key;
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockUser(trx, userId);
    const review = await lockReview(trx, key);
    if (!review?.noteId) return { refused: "no_notes" };
    if (!review.hiddenAt) return { refused: "not_hidden" };
    const { rows } = await sql<{ id: string; decision: string | null }>`
      select id, (select max(id) from decisions where report_id = reports.id and undone_at is null) as decision
      from reports where author_id = ${userId} and show_id = ${showId}
      order by decided_at is null desc, id desc limit 1`.execute(trx);
    const [report] = rows;
    if (report?.decision) return { refused: "report_decided", decisionId: report.decision };
    if (report) return { refused: "report_waits", reportId: report.id };
    await markReview(trx, key, { hidden_rule: null });
    await writeAudit(trx, "unhide-notes", { show_id: showId, user_id: userId });
    return null;
  });
}
