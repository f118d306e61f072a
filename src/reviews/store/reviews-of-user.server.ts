import { sql } from "kysely";
import type { Trx } from "../../database/schema.server.ts";
import { deleteReviews } from "./reviews-table.server.ts";

export async function copyReviews(trx: Trx, userId: string) {
  const reviews = await sql<object>`
    select show_id, title, audience_interaction, notes, reviews.created_at, hidden_rule, hidden_at, removal, removed_at
    from reviews join shows on shows.id = show_id where user_id = ${userId}
    order by reviews.created_at`.execute(trx);
  const deleted = await sql<object>`
    select show_id, created_at, deleted_at, hidden_rule from deleted_reviews
    where user_id = ${userId} order by deleted_at`.execute(trx);
  const verdicts = await sql<object>`
    select verdict, at from text_verdicts where user_id = ${userId} order by at`.execute(trx);
  return { reviews: reviews.rows, deleted_reviews: deleted.rows, decided_texts: verdicts.rows };
}

/** Ids in the audit log: moves by the operator that brought the user's reviews to their shows. */
export async function findMovesOf(trx: Trx, userId: string): Promise<string[]> {
  const { rows } = await sql<{ moved_by: string }>`
    select distinct moved_by from reviews where user_id = ${userId} and moved_by is not null`.execute(trx);
  return rows.map(({ moved_by }) => moved_by);
}

/** Returns the number of deleted reviews. */
export async function deleteReviewsOf(trx: Trx, userId: string, owner = userId): Promise<number> {
  await sql`update deleted_reviews set user_id = ${owner} where user_id = ${userId}`.execute(trx);
  return deleteReviews(trx, sql`user_id = ${userId}`, owner);
}
