import { expect } from "vitest";
import type { Db } from "../../src/database/schema.server.ts";
import { type DecisionAction, decideReport } from "../../src/moderation/store/decisions.server.ts";
import { findQueuePage } from "../../src/moderation/store/report-queue.server.ts";

/** In the queue's order: its first page. */
export const findOpenReports = async (db: Db) => (await findQueuePage(db, 1, null)).reports;

/** Decides on a report in any state. Returns the decision's id. */
export async function decide(
  db: Db,
  reportId: string,
  action: DecisionAction,
  reason: string | null = null,
): Promise<string> {
  const decided = await decideReport(db, { reportId, action, reason });
  return "refused" in decided ? expect.fail(decided.refused) : decided.decisionId;
}
