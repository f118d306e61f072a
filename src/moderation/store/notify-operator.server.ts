import type { Db } from "../../database/schema.server.ts";
import { addJob } from "../../jobs/job-queue.server.ts";

const ATTEMPTS = 10_000; // years, with the queue's waits of up to 6 hours
export const NOTIFICATION_SPACING = 60; // seconds between two runs: one message has all that comes within them
export const NOTIFY_OPERATOR = "notify-operator";

/** Call it last in the transaction that stores a report or objection. Without a webhook the job waits. */
export function notifyOperator(db: Db): Promise<void> {
  return addJob(db, NOTIFY_OPERATOR, { maxAttempts: ATTEMPTS, spacing: NOTIFICATION_SPACING });
}
