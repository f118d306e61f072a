import { sql } from "kysely";
import { deleteOldAudit } from "../../database/audit-log.server.ts";
import type { Task } from "../../jobs/job-queue.server.ts";
import { purgeRemoved } from "../../reviews/store/moderate-review.server.ts";
import { forgetDeletedReviews } from "../../reviews/store/reviews-table.server.ts";
import { deleteExpiredCounts } from "../../reviews/store/write-counts.server.ts";

/** How long reports stay after their decision, in days (docs/product.md §13.17). */
const REPORT_DAYS = 90;

export const reviewCleanup: Task = {
  name: "clean-up-reviews",
  pattern: "0 * * * *",
  cron: { backfillPeriod: 3_600_000 },
  async run({ db }) {
    await sql`delete from reports where decided_at < now() - make_interval(days => ${REPORT_DAYS})`.execute(
      db,
    );
    await forgetDeletedReviews(db);
    await purgeRemoved(db);
    await deleteExpiredCounts(db);
    await deleteOldAudit(db);
  },
};
