import { sql, type Transaction } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import { announce } from "../messages/announcements.server.ts";
import { isHidden } from "./report-queue.server.ts";

export type ObjectionRefusal = "author_gone" | "nothing_hidden" | "already_objected";

/**
 * Objects once to a report that hides the author's notes, which is in the queue again then (docs/product.md
 * §13.15). The same text again is the same objection, whose response was lost.
 */
export async function insertObjection(
  trx: Transaction<Schema>,
  { showId, userId, text }: { showId: string; userId: string; text: string },
): Promise<"objected" | ObjectionRefusal> {
  const author = await lockUser(trx, userId);
  if (!author || author.banned) return "author_gone";
  const { rows } = await sql<{ id: string; objection: string | null }>`
    select id, objection from reports
    where author_id = ${userId} and show_id = ${showId} and exists (
      select from present_reviews where user_id = author_id and present_reviews.show_id = reports.show_id and ${isHidden})
    order by id desc limit 1 for update`.execute(trx);
  const [report] = rows;
  if (!report) return "nothing_hidden";
  if (report.objection !== null) return report.objection === text ? "objected" : "already_objected";
  await sql`
    update reports set objection = ${text}, objected_at = now(), decided_at = null
    where id = ${report.id}`.execute(trx);
  await announce(trx);
  return "objected";
}
