import { type RawBuilder, sql } from "kysely";
import { lockUser, lockUsers } from "../../auth/store/lock-users.server.ts";
import { writeAudit } from "../../database/audit-log.server.ts";
import { defaultDeadline, transactionBefore } from "../../database/query/transaction-before.server.ts";
import type { Db } from "../../database/schema.server.ts";
import type { Interaction } from "../../domain/review.ts";
import type { ReviewKey } from "./moderate-review.server.ts";
import { deleteReviews } from "./reviews-table.server.ts";

export interface AuthoredReview {
  showId: string;
  title: string;
  userId: string;
  email: string;
  interaction: Interaction;
  notes: string | null;
  /** False while its author is in quarantine. */
  counted: boolean;
  createdAt: Date;
}

export interface ReviewFilter {
  showId?: string | undefined;
  userId?: string | undefined;
  since?: Date | undefined;
  withNotes?: boolean;
}

/** Removed reviews match nothing. */
function matches({ showId, userId, since, withNotes }: ReviewFilter): RawBuilder<unknown> {
  const conditions = [
    sql`reviews.removal is distinct from 'review'`,
    ...(showId === undefined ? [] : [sql`reviews.show_id = ${showId}`]),
    ...(userId === undefined ? [] : [sql`reviews.user_id = ${userId}`]),
    ...(since ? [sql`reviews.created_at >= ${since}`] : []),
    ...(withNotes ? [sql`reviews.notes is not null and reviews.removed_at is null`] : []),
  ];
  return sql.join(conditions, sql` and `);
}

/** Newest first. @param count the most; null for all */
export async function findReviewsWithAuthors(db: Db, filter: ReviewFilter, count: number | null = null) {
  const { rows } = await sql<AuthoredReview>`
    select show_id as "showId", title, user_id as "userId", email, audience_interaction as interaction,
      case when removed_at is null then notes end as notes, counted, reviews.created_at as "createdAt"
    from reviews join shows on shows.id = show_id join users on users.id = user_id
    where ${matches(filter)}
    order by reviews.created_at desc, show_id, user_id limit ${count}`.execute(db);
  return rows;
}

export async function findReviewFigures(db: Db) {
  const { rows } = await sql<{ reviews_last_24_hours: number; closed: { all: boolean; shows: number } }>`
    select (select count(*)::integer from present_reviews where created_at > now() - interval '1 day') as reviews_last_24_hours,
      (select json_build_object('all', count(*) > count(show_id), 'shows', count(show_id))
        from review_closures) as closed`.execute(db);
  return rows[0] ?? { reviews_last_24_hours: 0, closed: { all: false, shows: 0 } };
}

/** The operator removes a review or its notes at once, without a report (docs/product.md §5.18). */
export function deleteByHand(
  db: Db,
  { showId, userId }: ReviewKey,
  part: "review" | "notes",
): Promise<{ refused: "nothing_to_delete" } | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    await lockUser(trx, userId);
    const isIt = sql`show_id = ${showId} and user_id = ${userId}`;
    const deleteNotes = sql`update reviews set notes = null where ${isIt} and notes is not null`;
    const deleted =
      part === "review" ? await deleteReviews(trx, isIt) : (await deleteNotes.execute(trx)).numAffectedRows;
    if (Number(deleted) === 0) return { refused: "nothing_to_delete" };
    await writeAudit(trx, `remove-${part}`, { show_id: showId, user_id: userId });
    return null;
  });
}

export async function countReviews(db: Db, filter: ReviewFilter) {
  const { rows } = await sql<{ reviews: number; shows: number; users: number }>`
    select count(*)::integer as reviews, count(distinct show_id)::integer as shows,
      count(distinct user_id)::integer as users
    from reviews where ${matches(filter)}`.execute(db);
  return rows[0] ?? { reviews: 0, shows: 0, users: 0 };
}

/** In ms: enough for a season's reviews. */
const REMOVAL_TIMEOUT = 60_000;

/** Returns the number of removed reviews. */
export function removeReviews(db: Db, filter: ReviewFilter): Promise<number> {
  return transactionBefore(db, defaultDeadline(REMOVAL_TIMEOUT), async (trx) => {
    const authors = await lockUsers(trx, sql`id in (select user_id from reviews where ${matches(filter)})`);
    const isTheirs = sql`user_id = any (${authors.map(({ id }) => id)}::uuid[])`;
    const reviews = await deleteReviews(trx, sql`${isTheirs} and ${matches(filter)}`);
    if (reviews === 0) return 0;
    const { showId, userId, since } = filter;
    await writeAudit(trx, "remove-reviews", {
      ...(showId !== undefined && { show_id: showId }),
      ...(userId !== undefined && { user_id: userId }),
      ...(since && { since: since.toISOString() }),
      reviews,
    });
    return reviews;
  });
}

/** @param showId null for all shows (docs/product.md §13.16) */
export function closeReviews(db: Db, showId: string | null): Promise<{ refused: "already_closed" } | null> {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql`
      insert into review_closures (show_id) values (${showId}) on conflict do nothing
      returning show_id`.execute(trx);
    if (rows.length === 0) return { refused: "already_closed" };
    await writeAudit(trx, "close-reviews", { show_id: showId ?? "all" });
    return null;
  });
}

/** Returns how many other closures remain. */
export function openReviews(db: Db, showId: string | null) {
  return transactionBefore(db, defaultDeadline(), async (trx) => {
    const { rows } = await sql`
      delete from review_closures where show_id is not distinct from ${showId}
      returning show_id`.execute(trx);
    if (rows.length > 0) await writeAudit(trx, "open-reviews", { show_id: showId ?? "all" });
    const left = await sql<{ closures: number }>`
      select count(*)::integer as closures from review_closures`.execute(trx);
    const { closures = 0 } = left.rows[0] ?? {};
    return rows.length > 0 ? { closures } : ({ refused: "not_closed", closures } as const);
  });
}
