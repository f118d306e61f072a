import { type Kysely, sql } from "kysely";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import {
  type Decision,
  type DecisionAction,
  type DecisionRefusal,
  decideReportWithin,
} from "./decisions.server.ts";

/** Longer than a link is valid: rows older than this are of no use. */
const KEPT = sql`interval '3 days'`;

/**
 * Decides on a report by a link, which is used then. `link_used`: it has decided before, and decides nothing
 * more, also when the report is in the queue again.
 */
export function decideByLink(
  db: Kysely<Schema>,
  deadline: number,
  { linkId, ...decision }: Decision & { linkId: string },
): Promise<{ decisionId: string } | DecisionRefusal | "link_used"> {
  return transactionBefore(db, deadline, async (trx) => {
    const { numAffectedRows } = await sql`
      with old as (delete from used_moderation_links where used_at < now() - ${KEPT})
      insert into used_moderation_links (id) values (${linkId}) on conflict do nothing`.execute(trx);
    if (numAffectedRows === 0n) return "link_used";
    const decided = await decideReportWithin(trx, decision);
    if (typeof decided === "string")
      await trx.deleteFrom("used_moderation_links").where("id", "=", linkId).execute();
    return decided;
  });
}

export async function isLinkUsed(db: Kysely<Schema>, linkId: string): Promise<boolean> {
  const links = db.selectFrom("used_moderation_links").select("id").where("id", "=", linkId);
  return (await links.executeTakeFirst()) !== undefined;
}

/** The last decision on a report that still holds. */
export interface StandingDecision {
  action: DecisionAction;
  at: Date;
}

export async function findStandingDecision(
  db: Kysely<Schema>,
  reportId: string,
): Promise<StandingDecision | null> {
  const decision = await db
    .selectFrom("decisions")
    .select(["action", "at"])
    .where("report_id", "=", reportId)
    .where("undone_at", "is", null)
    .orderBy("id", "desc")
    .executeTakeFirst();
  return decision ?? null;
}
