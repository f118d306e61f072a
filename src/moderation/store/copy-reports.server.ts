import { sql, type Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/**
 * Copies what a user has reported, and what was reported of the user's notes and decided: nothing of who
 * reported it.
 */
export async function copyReports(trx: Transaction<Schema>, userId: string) {
  const made = await sql<object>`
    select show_id, report_reasons.reason, text, report_reasons.at
    from report_reasons join reports on reports.id = report_id
    where reporter_id = ${userId} order by report_reasons.id`.execute(trx);
  const ofNotes = await sql<object>`
    select show_id, rule, opened_at, hidden_at, objection, objected_at, decided_at, coalesce((
      select json_agg(json_build_object('decision', action, 'reason', reason, 'at', at, 'undone_at', undone_at) order by id)
      from decisions where report_id = reports.id
    ), '[]') as decisions
    from reports where author_id = ${userId} order by id`.execute(trx);
  return { reports_made: made.rows, reports_of_your_notes: ofNotes.rows };
}
