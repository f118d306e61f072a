import { sql } from "kysely";
import { deleteOldAudit } from "../../database/audit-log.server.ts";
import type { Task } from "../../jobs/job-queue.server.ts";
import { purgeRemoved } from "../../reviews/store/moderate-review.server.ts";
import { deleteExpiredCounts } from "../../reviews/store/review-limits-table.server.ts";
import { forgetDeletedReviews } from "../../reviews/store/reviews-table.server.ts";
import { forgetEndedLinks } from "./queue-links.server.ts";

/** In days after the decision. Reports of a kept note stay as long as its text (docs/product.md §13.17). */
const REPORT_DAYS = 90;

export const reviewCleanup: Task = {
  name: "clean-up-reviews",
  pattern: "0 * * * *",
  cron: { backfillPeriod: 3_600_000 },
  async run({ db }) {
    await sql`
      delete from reports where decided_at < now() - make_interval(days => ${REPORT_DAYS})
        and not exists (
          select from decisions join reviews on user_id = author_id
          where report_id = reports.id and action = 'keep' and undone_at is null
            and note_hash(notes) = note_hash)`.execute(db);
    await sql`
      update report_reasons set text = null from reports
      where reports.id = report_id and text is not null
        and decided_at < now() - make_interval(days => ${REPORT_DAYS})`.execute(db);
    await forgetDeletedReviews(db);
    await purgeRemoved(db);
    await deleteExpiredCounts(db);
    await deleteOldAudit(db);
    await forgetEndedLinks(db);
  },
};
