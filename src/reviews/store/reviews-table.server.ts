import { type RawBuilder, type Selectable, sql } from "kysely";
import { z } from "zod";
import { lockUser } from "../../auth/store/lock-users.server.ts";
import { type Db, isoTime, type Schema, type Trx } from "../../database/schema.server.ts";
import { YEAR } from "../../domain/programme.ts";
import type { Tallies } from "../../domain/review.ts";
import type { OwnReviewsPage, Review } from "../../domain/review-dto.ts";
import { talliesSchema } from "../../domain/tallies-dto.ts";

type ReviewInput = Omit<Review, "created_at">;

/** More than most users write, and a response of bounded size. */
export const OWN_REVIEWS_PAGE_SIZE = 50;

/**
 * A page (from 1) of a user's reviews, newest first, with their shows, also of unlisted ones. Empty past the
 * end (docs/product.md §9.5).
 */
export async function findReviewsByUser(db: Db, userId: string, page: number): Promise<OwnReviewsPage> {
  const offset = (page - 1) * OWN_REVIEWS_PAGE_SIZE;
  const { rows } = await sql<Pick<OwnReviewsPage, "total" | "reviews">>`
    with own as materialized (select * from present_reviews where user_id = ${userId})
    select (select count(*)::integer from own) as total,
      coalesce((
        select json_agg(json_build_object('show_id', show_id, 'user_id', user_id,
          'audience_interaction', audience_interaction, 'notes', notes, 'created_at', ${isoTime("created_at")},
          'title', title, 'artist', artist, 'venue_name', venue_name, 'year', year, 'listed', listed, 'hidden', ${hiding}) order by created_at desc, show_id)
        from (
          select newest.*, title, artist, venue_name, year, listed and year = ${YEAR} as listed
          from (
            select * from own order by created_at desc, show_id offset ${offset} limit ${OWN_REVIEWS_PAGE_SIZE}
          ) as newest join shows on shows.id = show_id
        ) as page), '[]') as reviews`.execute(db);
  const { total = 0, reviews = [] } = rows[0] ?? {};
  return {
    reviews,
    total,
    next_page: offset + reviews.length < total && reviews.length > 0 ? page + 1 : null,
  };
}

/** The author can object once, as long as the report is stored (docs/product.md §13.15). */
const hiding = sql`case when hidden_rule is not null and notes is not null then json_build_object(
  'rule', hidden_rule, 'objection', coalesce((
    select case when objection is null then 'possible' else 'sent' end from reports
    where author_id = user_id and reports.show_id = page.show_id order by id desc limit 1
  ), 'over')) end`;

/**
 * In days. For this long a review written again keeps the `created_at` and the hiding of the deleted one
 * (docs/product.md §13.30).
 */
const FIRST_TIME_DAYS = 30;

export async function forgetDeletedReviews(db: Db): Promise<void> {
  const limit = sql`now() - make_interval(days => ${FIRST_TIME_DAYS})`;
  await sql`delete from deleted_reviews where deleted_at < ${limit}`.execute(db);
  await sql`delete from text_verdicts where at < ${limit}`.execute(db);
}

interface WrittenReview {
  review: Review;
  tallies: Tallies;
  /** Whether the notes are hidden. */
  hidden: boolean;
}

/**
 * Inserts a review, or replaces interaction and notes of the user's earlier one. `created_at` stays, for
 * `FIRST_TIME_DAYS` also after a deletion. Retries are idempotent (docs/product.md §5.14). SQL's `prepare_review` sets
 * the other columns, and `count_reviews` or `recount_reviews` the tallies.
 */
export async function writeReview(
  trx: Trx,
  review: ReviewInput,
): Promise<WrittenReview | { refused: "account_ended" | "show_not_listed" | "reviews_closed" }> {
  const { show_id, user_id, audience_interaction, notes } = review;
  if (!(await lockAuthor(trx, user_id))) return { refused: "account_ended" };
  const show = await findListed(trx, show_id);
  if (!show) return { refused: "show_not_listed" };
  if (show.closed) return { refused: "reviews_closed" };
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    values (${show_id}, ${user_id}, ${audience_interaction}, ${notes}, coalesce((
      select created_at from deleted_reviews where user_id = ${user_id} and show_id = ${show_id}
        and deleted_at > now() - make_interval(days => ${FIRST_TIME_DAYS})), now()))
    on conflict (show_id, user_id) do update
      set audience_interaction = excluded.audience_interaction, notes = excluded.notes, moved_by = null,
        removal = null
      where (reviews.audience_interaction, reviews.notes, null::text)
        is distinct from (excluded.audience_interaction, excluded.notes, reviews.removal)`.execute(trx);
  const { created_at, hidden_rule, ...tallies } = await findWritten(trx, review);
  return {
    review: { ...review, created_at: created_at.toISOString() },
    tallies: toTallies(tallies),
    hidden: notes !== null && hidden_rule !== null,
  };
}

/** Deletes a user's review of a show, listed or not. Returns the show's tallies, if it has any. */
export async function deleteReview(
  trx: Trx,
  { showId, userId }: { showId: string; userId: string },
): Promise<{ tallies: Tallies | null } | { refused: "account_ended" }> {
  if (!(await lockAuthor(trx, userId))) return { refused: "account_ended" };
  await deleteReviews(trx, sql`show_id = ${showId} and user_id = ${userId}`);
  const tallies = await trx
    .selectFrom("tallies")
    .select(["no", "very_little", "yes", "latest_at", "revision"])
    .where("show_id", "=", showId)
    .executeTakeFirst();
  return { tallies: tallies ? toTallies(tallies) : null };
}

/** Remembers what it deletes. @param owner the id of a deleted account, which replaces the user's id */
export async function deleteReviews(trx: Trx, condition: RawBuilder<unknown>, owner: string | null = null) {
  const { numAffectedRows = 0n } = await sql`
    with deleted as (
      delete from reviews where ${condition}
      returning show_id, coalesce(${owner}, user_id) as user_id, created_at, notes, hidden_rule, overridden_rule, hidden_hash
    ), waiting as (
      insert into text_verdicts (user_id, hash, verdict)
      select distinct on (user_id, hash) user_id, note_hash(notes) as hash, hidden_rule from deleted
      where hidden_rule is not null and note_hash(notes) <> hidden_hash
      on conflict (user_id, hash) do update set at = excluded.at
    )
    insert into deleted_reviews (user_id, show_id, created_at, hidden_rule, note_hash)
    select user_id, show_id, created_at, coalesce(hidden_rule, overridden_rule), hidden_hash from deleted
    on conflict (user_id, show_id) do update set created_at = excluded.created_at, deleted_at = now(),
      hidden_rule = excluded.hidden_rule, note_hash = excluded.note_hash`.execute(trx);
  return Number(numAffectedRows);
}

type TalliesRow = Omit<Selectable<Schema["tallies"]>, "show_id">;

/** Keeps the order of the columns, which is that of notifications: all instances serve the same bytes. */
function toTallies(row: TalliesRow): Tallies {
  return { ...row, latest_at: row.latest_at?.toISOString() ?? null };
}

/** False for a deleted or banned user. The lock prevents both until the transaction ends. */
async function lockAuthor(trx: Trx, id: string): Promise<boolean> {
  const author = await lockUser(trx, id, "key share");
  return author !== null && !author.banned;
}

/** `closed`: the show takes no reviews for now (docs/product.md §13.16). */
async function findListed(trx: Trx, id: string): Promise<{ closed: boolean } | undefined> {
  const { rows } = await sql<{ closed: boolean }>`
    select exists (select from review_closures where show_id is null or show_id = ${id}) as closed
    from shows where id = ${id} and year = ${YEAR} and listed`.execute(trx);
  return rows[0];
}

function findWritten(trx: Trx, { show_id, user_id }: ReviewInput) {
  return trx
    .selectFrom("reviews")
    .innerJoin("tallies", "tallies.show_id", "reviews.show_id")
    .select(["created_at", "hidden_rule", "no", "very_little", "yes", "latest_at", "revision"])
    .where("reviews.show_id", "=", show_id)
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
}

export async function hasReviews(db: Db): Promise<boolean> {
  return (await db.selectFrom("reviews").select("show_id").limit(1).executeTakeFirst()) !== undefined;
}

/** A show's new tallies, as a database notification carries them (SQL's `add_to_tally`). */
const talliesUpdate = z
  .object({ show_id: z.string(), ...talliesSchema.shape })
  .transform(({ show_id: showId, ...tallies }) => ({ showId, tallies }));

export type TalliesUpdate = z.output<typeof talliesUpdate>;

/** @throws ZodError, SyntaxError when the payload is malformed */
export function decodeTalliesUpdate(payload: string): TalliesUpdate {
  return talliesUpdate.parse(JSON.parse(payload));
}
