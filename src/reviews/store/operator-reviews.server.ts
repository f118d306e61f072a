import { type RawBuilder, sql } from "kysely";
import { lockUser } from "../../auth/store/lock-users.server.ts";
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
export function matches({ showId, userId, since, withNotes }: ReviewFilter): RawBuilder<unknown> {
  const conditions = [
    sql`reviews.removal is distinct from 'review'`,
    ...(showId === undefined ? [] : [sql`reviews.show_id = ${showId}`]),
    ...(userId === undefined ? [] : [sql`reviews.user_id = ${userId}`]),
    ...(since ? [sql`reviews.created_at >= ${since}`] : []),
    ...(withNotes ? [sql`reviews.notes is not null and reviews.removed_at is null`] : []),
  ];
  return sql.join(conditions, sql` and `);
}

const PAGE_SIZE = 500;

/** Newest first. It reads page by page, to bound memory. */
export async function* findReviewsWithAuthors(db: Db, filter: ReviewFilter): AsyncGenerator<AuthoredReview> {
  let last: AuthoredReview | undefined;
  do {
    const page = await findPage(db, filter, last);
    yield* page;
    last = page.length < PAGE_SIZE ? undefined : page.at(-1);
  } while (last);
}

async function findPage(db: Db, filter: ReviewFilter, after: AuthoredReview | undefined) {
  const isOlder = after
    ? sql`reviews.created_at <= ${after.createdAt} and (
        reviews.created_at < ${after.createdAt} or (show_id, user_id) > (${after.showId}, ${after.userId}::uuid))`
    : sql`true`;
  const { rows } = await sql<AuthoredReview>`
    select show_id as "showId", title, user_id as "userId", email, audience_interaction as interaction,
      case when removed_at is null then notes end as notes, counted, reviews.created_at as "createdAt"
    from reviews join shows on shows.id = show_id join users on users.id = user_id
    where ${matches(filter)} and ${isOlder}
    order by reviews.created_at desc, show_id, user_id limit ${PAGE_SIZE}`.execute(db);
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
