import { type Selectable, sql, type Transaction } from "kysely";
import { lockUsers } from "../../auth/store/lock-users.server.ts";
import { isRowId } from "../../database/query/column-types.server.ts";
import type { Schema } from "../../database/schema.server.ts";

type Trx = Transaction<Schema>;

/** A report in a transaction that has locked it, its author and its reporters. */
export type LockedReport = Pick<
  Selectable<Schema["reports"]>,
  "id" | "show_id" | "author_id" | "rule" | "hidden_at" | "decided_at"
>;

/** A review in a transaction that has locked it. */
export type LockedReview = Pick<
  Selectable<Schema["reviews"]>,
  "audience_interaction" | "notes" | "note_id" | "created_at" | "moved_by" | "hidden_rule"
>;

/**
 * Locks a report; null if there is none. Its author and the reporters, whom a decision may concern, are locked
 * first.
 */
export async function lockReport(trx: Trx, id: string): Promise<LockedReport | null> {
  if (!isRowId(id)) return null;
  await lockUsers(
    trx,
    sql`id in (
      select author_id from reports where id = ${id}
      union select reporter_id from report_reasons where report_id = ${id})`,
  );
  const reports = trx
    .selectFrom("reports")
    .select(["id", "show_id", "author_id", "rule", "hidden_at", "decided_at"])
    .where("id", "=", id);
  return (await reports.forUpdate().executeTakeFirst()) ?? null;
}

/** Locks the review that a report is about; null if it was deleted. */
export async function lockReview(trx: Trx, report: LockedReport): Promise<LockedReview | null> {
  const reviews = trx
    .selectFrom("reviews")
    .select(["audience_interaction", "notes", "note_id", "created_at", "moved_by", "hidden_rule"])
    .where("show_id", "=", report.show_id)
    .where("user_id", "=", report.author_id);
  return (await reviews.forUpdate().executeTakeFirst()) ?? null;
}

/** Selects the review that a report is about, for an update. */
export function updateReview(trx: Trx, { show_id, author_id }: LockedReport) {
  return trx.updateTable("reviews").where("show_id", "=", show_id).where("user_id", "=", author_id);
}
