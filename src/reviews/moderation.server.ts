import { type Kysely, sql, type Transaction } from "kysely";
import { writeAudit } from "../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../database/query/transaction-before.server.ts";
import type { Schema } from "../database/schema.server.ts";
import type { Interaction } from "../domain/review.ts";

/** A review as the operator sees it: with who wrote it. */
export interface ReviewWithAuthor {
  showId: string;
  title: string;
  userId: string;
  email: string;
  interaction: Interaction;
  notes: string | null;
  createdAt: Date;
}

/** Which reviews: of a show, by a user, or by a user of a show. */
interface WhichReviews {
  showId?: string | undefined;
  userId?: string | undefined;
}

/** How many reviews are read at a time. */
const PAGE = 500;

/** The reviews of a show, or by a user, newest first: a page at a time, however many there are. */
export async function* findReviewsWithAuthors(
  db: Kysely<Schema>,
  which: WhichReviews,
): AsyncGenerator<ReviewWithAuthor> {
  let last: ReviewWithAuthor | undefined;
  do {
    const page = await findPage(db, which, last);
    yield* page;
    last = page.length < PAGE ? undefined : page.at(-1);
  } while (last);
}

function findPage(db: Kysely<Schema>, { showId, userId }: WhichReviews, after: ReviewWithAuthor | undefined) {
  let reviews = db
    .selectFrom("reviews")
    .innerJoin("shows", "shows.id", "reviews.show_id")
    .innerJoin("users", "users.id", "reviews.user_id")
    .select(["shows.id as showId", "shows.title", "users.id as userId", "users.email", "reviews.notes"])
    .select(["reviews.audience_interaction as interaction", "reviews.created_at as createdAt"]);
  if (showId !== undefined) reviews = reviews.where("reviews.show_id", "=", showId);
  if (userId !== undefined) reviews = reviews.where("reviews.user_id", "=", userId);
  if (after) reviews = reviews.where(isOlder(after));
  return reviews
    .orderBy("reviews.created_at", "desc")
    .orderBy("reviews.show_id")
    .orderBy("reviews.user_id")
    .limit(PAGE)
    .execute();
}

function isOlder({ createdAt, showId, userId }: ReviewWithAuthor) {
  return sql<boolean>`(reviews.created_at <= ${createdAt} and (
    reviews.created_at < ${createdAt} or (reviews.show_id, reviews.user_id) > (${showId}, ${userId}::uuid)))`;
}

/** Which review: there is one of each user and show. */
interface WhichReview {
  showId: string;
  userId: string;
}

/** Removes a review; the tallies follow in the same transaction. Answers whether there was one. */
export function removeReview(db: Kysely<Schema>, { showId, userId }: WhichReview): Promise<boolean> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockAuthor(trx, userId);
    const { numDeletedRows } = await trx
      .deleteFrom("reviews")
      .where("show_id", "=", showId)
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    await writeAudit(trx, "remove-review", { show_id: showId, user_id: userId });
    return true;
  });
}

/** Removes the notes of a review and keeps its answer and time. Answers whether there were any; null when there is no such review. */
export function removeNotes(db: Kysely<Schema>, { showId, userId }: WhichReview): Promise<boolean | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockAuthor(trx, userId);
    const { rows } = await sql<{ had_notes: boolean }>`
      select notes is not null as had_notes from reviews
      where show_id = ${showId} and user_id = ${userId} for update`.execute(trx);
    if (!rows[0]?.had_notes) return rows[0] ? false : null;
    await sql`update reviews set notes = null where show_id = ${showId} and user_id = ${userId}`.execute(trx);
    await writeAudit(trx, "remove-notes", { show_id: showId, user_id: userId });
    return true;
  });
}

/** A user is locked before anything of theirs, as whoever writes a review or deletes a user does. */
async function lockAuthor(trx: Transaction<Schema>, userId: string): Promise<void> {
  await sql`select from users where id = ${userId} for update`.execute(trx);
}
