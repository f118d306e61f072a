import { type RawBuilder, sql } from "kysely";
import { type Db, isoTime } from "../../database/schema.server.ts";
import type { NotesPage, ShowNotes } from "../../domain/notes-dto.ts";
import { YEAR } from "../../domain/programme.ts";
import { type Interaction, NOTES_PAGE_SIZE, NOTES_SHOWN } from "../../domain/review.ts";

/** Notes that anybody may read. The index `reviews_visible_notes` has the same condition. */
export const isVisible = sql<boolean>`(reviews.notes is not null and reviews.counted and reviews.hidden_rule is null)`;

/** SQL, used with `shows`: the show has a page (docs/product.md §2.21, §2.22). */
export const hasPage = sql<boolean>`(shows.year < ${YEAR} or shows.year = ${YEAR} and shows.listed)`;

export type NoteVisibility = "shown" | "gone" | "hidden" | "quarantined" | "unlisted";

/** SQL, used with `shows` and `reviews`: whether visitors see the notes now, or why they do not. */
export const visibility = sql<NoteVisibility>`case
  when ${isVisible} and ${hasPage} then 'shown' when reviews.notes is null then 'gone'
  when reviews.hidden_rule is not null then 'hidden' when not reviews.counted then 'quarantined' else 'unlisted' end`;

const newestFirst = sql`created_at desc, user_id`;

const asNote = sql`json_build_object('id', note_id, 'notes', notes, 'created_at', ${isoTime("created_at")})`;

/** The newest notes of each show, and how many notes and reviews it has, by interaction (docs/product.md §4.1). */
export async function findNotes(db: Db, showIds: readonly string[]): Promise<Map<string, ShowNotes>> {
  const { rows } = await sql<{ id: string; notes: ShowNotes }>`
    select requested.id, ${newestOfEach} as notes
    from unnest(${showIds}::text[]) as requested (id)
    left join tallies on tallies.show_id = requested.id`.execute(db);
  return new Map(rows.map(({ id, notes }) => [id, notes]));
}

const newestOfEach = sql`json_build_object('no', ${notesOf("no")}, 'very_little', ${notesOf("very_little")},
  'yes', ${notesOf("yes")}, 'revision', coalesce(revision, 0))`;

function notesOf(interaction: Interaction): RawBuilder<unknown> {
  const isRequested = sql`reviews.show_id = requested.id and audience_interaction = ${interaction} and ${isVisible}`;
  return sql`json_build_object('count', coalesce(${sql.ref(interaction)}, 0),
    'total', (select count(*) from reviews where ${isRequested}), 'notes', coalesce((
    select json_agg(${asNote} order by ${newestFirst})
    from (
      select note_id, notes, created_at, user_id from reviews where ${isRequested}
      order by ${newestFirst} limit ${NOTES_SHOWN}
    ) as newest), '[]'))`;
}

export interface NotesQuery {
  showId: string;
  interaction: Interaction;
  /** From 1; past the end it is the last page. */
  page: number;
}

export async function findNotesPage(db: Db, query: NotesQuery): Promise<NotesPage> {
  const { showId, interaction, page } = query;
  const isCounted = sql`show_id = ${showId} and audience_interaction = ${interaction} and ${isVisible}`;
  const { rows } = await sql<Pick<NotesPage, "page" | "total" | "notes">>`
    with counted as (select count(*)::integer as total from reviews where ${isCounted}),
    requested as (
      select total, least(${page}::bigint, greatest(1, ceil(total / ${NOTES_PAGE_SIZE}::numeric)))::integer as page
      from counted
    )
    select page, total, coalesce((
      select json_agg(${asNote} order by ${newestFirst})
      from (
        select user_id from reviews where ${isCounted}
        order by ${newestFirst} offset (page - 1) * ${NOTES_PAGE_SIZE}::integer limit ${NOTES_PAGE_SIZE}
      ) as shown join reviews using (user_id) where show_id = ${showId}), '[]') as notes
    from requested`.execute(db);
  const { page: shown = 1, total = 0, notes = [] } = rows[0] ?? {};
  return { page: shown, page_size: NOTES_PAGE_SIZE, total, notes };
}
