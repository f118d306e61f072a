import { type Kysely, sql } from "kysely";
import { transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import {
  type Decision,
  type DecisionAction,
  type DecisionRefusal,
  decideReportWithin,
} from "./decisions.server.ts";

/** Longer than a link is valid. */
const KEPT = sql`interval '3 days'`;

/** A link decides once, also when the report is in the queue again. */
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
      await sql`delete from used_moderation_links where id = ${linkId}`.execute(trx);
    return decided;
  });
}

export async function isLinkUsed(db: Kysely<Schema>, linkId: string): Promise<boolean> {
  const { rows } = await sql`select from used_moderation_links where id = ${linkId}`.execute(db);
  return rows.length > 0;
}

/** The last decision on a report that still holds. */
export async function findStandingDecision(db: Kysely<Schema>, reportId: string) {
  const { rows } = await sql<{ action: DecisionAction; at: Date }>`
    select action, at from decisions where report_id = ${reportId} and undone_at is null
    order by id desc limit 1`.execute(db);
  return rows[0] ?? null;
}
