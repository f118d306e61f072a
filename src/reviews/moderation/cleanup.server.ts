import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../../database/schema.server.ts";
import { runPeriodically } from "../../lib/run-periodically.server.ts";
import { forgetDeletedReviews } from "../api/reviews-table.server.ts";

/** How long reports stay after their decision, in days (docs/product.md §13.17). */
const REPORT_DAYS = 90;

/** The interval in ms. Instances need not coordinate: concurrent runs are harmless. */
const INTERVAL = 3_600_000;

/**
 * Deletes old reports and the times of deleted reviews, now and every hour. Failures are logged. `stop` resolves
 * when a run in progress has ended.
 */
export function startModerationMaintenance(db: Kysely<Schema>, log: Logger): { stop: () => Promise<void> } {
  return runPeriodically(
    () => maintain(db),
    INTERVAL,
    (error) => log.warn({ error: error.message }, "Old reports could not be deleted; retrying in an hour"),
  );
}

async function maintain(db: Kysely<Schema>): Promise<void> {
  await deleteOldReports(db);
  await forgetDeletedReviews(db);
}

/** Deletes reports, with what was said and decided about them, some time after their decision. */
export async function deleteOldReports(db: Kysely<Schema>): Promise<void> {
  await sql`delete from reports where decided_at < now() - make_interval(days => ${REPORT_DAYS})`.execute(db);
}
