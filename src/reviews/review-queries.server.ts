import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import { YEAR } from "../shows/show.ts";
import { type Answer, answers, type Tallies } from "./review.ts";

/** A review as its writer sent it, cleaned. */
export interface WrittenReview {
  show_id: string;
  user_id: string;
  audience_interaction: Answer;
  notes: string | null;
}

export interface StoredReview extends WrittenReview {
  created_at: Date;
}

/** A user's own reviews, newest first. */
export function findReviewsOf(db: Kysely<Schema>, userId: string): Promise<StoredReview[]> {
  return db
    .selectFrom("reviews")
    .select(["show_id", "user_id", "audience_interaction", "notes", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("show_id")
    .execute();
}

/**
 * Stores a review in place of the user's earlier one of the show, if any; exactly what is stored already changes nothing, its
 * `created_at` included. Answers the stored review and the show's new tallies. The user must exist; false when the show is not listed.
 */
export async function writeReview(
  trx: Transaction<Schema>,
  review: WrittenReview,
): Promise<{ review: StoredReview; reviews: Tallies } | false> {
  const { show_id, user_id, audience_interaction, notes } = review;
  const shows = await sql`select from shows where id = ${show_id} and year = ${YEAR} and listed`.execute(trx);
  if (shows.rows.length === 0) return false;
  const written = await sql<StoredReview>`
    insert into reviews (show_id, user_id, audience_interaction, notes)
    values (${show_id}, ${user_id}, ${audience_interaction}, ${notes})
    on conflict (show_id, user_id) do update
      set audience_interaction = excluded.audience_interaction, notes = excluded.notes, created_at = excluded.created_at
      where (reviews.audience_interaction, reviews.notes) is distinct from (excluded.audience_interaction, excluded.notes)
    returning show_id, user_id, audience_interaction, notes, created_at`.execute(trx);
  const stored = written.rows[0] ?? (await findReview(trx, review));
  return { review: stored, reviews: await findTallies(trx, show_id) };
}

function findReview(trx: Transaction<Schema>, { show_id, user_id }: WrittenReview): Promise<StoredReview> {
  return trx
    .selectFrom("reviews")
    .select(["show_id", "user_id", "audience_interaction", "notes", "created_at"])
    .where("show_id", "=", show_id)
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
}

async function findTallies(trx: Transaction<Schema>, showId: string): Promise<Tallies> {
  const row = await trx
    .selectFrom("tallies")
    .select(["no", "very_little", "yes", "latest_at"])
    .where("show_id", "=", showId)
    .executeTakeFirstOrThrow();
  return { ...row, latest_at: row.latest_at?.toISOString() ?? null };
}

/** Keeps a user from being deleted until the transaction ends; false when they are gone already, or banned. */
export async function holdUser(trx: Transaction<Schema>, userId: string): Promise<boolean> {
  const { rows } = await sql`select from users where id = ${userId} and banned_at is null for key share`.execute(trx);
  return rows.length > 0;
}

export interface Note {
  notes: string;
  created_at: string;
}

/** How many reviews of a show gave an answer, and the newest of their notes. */
export type ShowNotes = Record<Answer, { count: number; notes: Note[] }>;

/** Notes shown of each answer (specification §2, "Show card"). */
const NOTES_SHOWN = 5;

/** What is written of each show. */
export async function findNotes(db: Kysely<Schema>, showIds: readonly string[]): Promise<Map<string, ShowNotes>> {
  const { rows } = await sql<{ show_id: string; answer: Answer; count: number; notes: Note[] }>`
    select asked.show_id, answer,
      coalesce(case answer when 'no' then no when 'very_little' then very_little else yes end, 0) as count,
      coalesce(newest.notes, '[]') as notes
    from unnest(${showIds}::text[]) as asked (show_id)
    cross join unnest(${answers}::text[]) as answer
    left join tallies on tallies.show_id = asked.show_id
    left join lateral (
      select json_agg(json_build_object('notes', notes, 'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
        order by created_at desc, user_id) as notes
      from (
        select notes, created_at, user_id from reviews
        where reviews.show_id = asked.show_id and audience_interaction = answer and notes is not null
        order by created_at desc, user_id limit ${NOTES_SHOWN}
      ) as newest
    ) as newest on true`.execute(db);
  const found = new Map(showIds.map((id) => [id, emptyNotes()]));
  for (const { show_id, answer, count, notes } of rows) {
    const show = found.get(show_id);
    if (show) show[answer] = { count, notes };
  }
  return found;
}

function emptyNotes(): ShowNotes {
  return { no: { count: 0, notes: [] }, very_little: { count: 0, notes: [] }, yes: { count: 0, notes: [] } };
}
