import { type Kysely, sql } from "kysely";
import type { AskTogether } from "../database/batch.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { type Answer, answers, type RevisedTallies } from "../domain/review.ts";
import { YEAR } from "../domain/show.ts";

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

/** Why a review cannot be written: its author is deleted or banned by now, or there is no such show in the list. */
export type Unwritable = "author_gone" | "show_not_listed";

/**
 * Stores a review in place of the user's earlier one of the show, if any; exactly what is stored already changes nothing, its
 * `created_at` included. Answers the stored review and the show's new tallies. In a transaction: until it ends, the user cannot be deleted.
 */
export async function writeReview(
  ask: AskTogether,
  review: WrittenReview,
): Promise<{ review: WrittenReview & { created_at: string }; tallies: RevisedTallies } | Unwritable> {
  const { show_id, user_id, audience_interaction, notes } = review;
  const [written, stored] = await ask([
    { statement: write, values: [show_id, user_id, audience_interaction, notes] },
    { statement: readBack, values: [show_id, user_id] },
  ]);
  const { isAuthorThere, isShowListed } = readJson<Found>(written);
  if (!isAuthorThere) return "author_gone";
  if (!isShowListed) return "show_not_listed";
  const { created_at, ...tallies } = readJson<Stored>(stored);
  return { review: { ...review, created_at }, tallies };
}

interface Found {
  isAuthorThere: boolean;
  isShowListed: boolean;
}

type Stored = RevisedTallies & { created_at: string };

/** The author's row is held before anything of theirs is touched, as whoever deletes or bans them does. */
const write = {
  name: "write-review",
  text: `with author as (select id from users where id = $2 and banned_at is null for key share),
    show as (select id from shows where id = $1 and year = ${YEAR} and listed),
    written as (
      insert into reviews (show_id, user_id, audience_interaction, notes)
      select show.id, author.id, $3, $4 from author, show
      on conflict (show_id, user_id) do update
        set audience_interaction = excluded.audience_interaction, notes = excluded.notes, created_at = excluded.created_at
        where (reviews.audience_interaction, reviews.notes) is distinct from (excluded.audience_interaction, excluded.notes)
    )
    select json_build_object('isAuthorThere', exists (select from author), 'isShowListed', exists (select from show))`,
};

/** A time as JavaScript writes it, and as tallies have it. */
const isoTime = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A statement of its own: the triggers that tally come at the end of the one that writes. */
const readBack = {
  name: "read-written-review",
  text: `select json_build_object('created_at', ${isoTime("created_at")}, 'no', no, 'very_little', very_little, 'yes', yes,
      'latest_at', ${isoTime("latest_at")}, 'revision', revision)
    from reviews join tallies using (show_id) where show_id = $1 and user_id = $2`,
};

/** What a statement answered that writes JSON. */
function readJson<T>(answer: string | null | undefined): T {
  if (!answer) throw new Error("The database has answered nothing");
  return JSON.parse(answer);
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
      select json_agg(json_build_object('notes', notes, 'created_at', ${sql.raw(isoTime("created_at"))})
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
