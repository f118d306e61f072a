import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { Show } from "./show.ts";

/** The ids of a year's listed shows. */
export async function findListedIds(db: Kysely<Schema>, year: number): Promise<string[]> {
  const rows = await db.selectFrom("shows").select("id").where("year", "=", year).where("listed", "=", true).execute();
  return rows.map(({ id }) => id);
}

/** Takes shows off the list; their rows and reviews stay. */
export async function unlistShows(trx: Transaction<Schema>, ids: readonly string[]): Promise<void> {
  await sql`update shows set listed = false, updated_at = now() where id = any (${ids}::text[]) and listed`.execute(
    trx,
  );
}

/** What writing a programme did to the list. */
export interface WrittenShows {
  /** Never seen before. */
  added: number;
  /** Listed before, and now different. */
  changed: number;
  /** Not listed before, and now listed again. */
  returned: number;
}

/** Lists the given shows as they are now, in one statement. Rows that say the same already are not touched. */
export async function listShows(
  trx: Transaction<Schema>,
  shows: readonly (Show & { details: Record<string, unknown> })[],
): Promise<WrittenShows> {
  const { rows } = await sql<WrittenShows>`
    with incoming as (
      select * from jsonb_to_recordset(${JSON.stringify(shows)}::jsonb) as show (id text, title text, website text,
        artist text, venue_name text, genre text, description text, year integer, status text, details jsonb)
    ), before as (
      select id, listed from shows join incoming using (id)
    ), written as (
      insert into shows as old (id, title, website, artist, venue_name, genre, description, year, status, details)
      select id, title, website, artist, venue_name, genre, description, year, status, details from incoming
      on conflict (id) do update set
        title = excluded.title, website = excluded.website, artist = excluded.artist, venue_name = excluded.venue_name,
        genre = excluded.genre, description = excluded.description, year = excluded.year, status = excluded.status,
        details = excluded.details, listed = true, updated_at = now()
      where (old.title, old.website, old.artist, old.venue_name, old.genre, old.description, old.year, old.status,
          old.details, old.listed)
        is distinct from (excluded.title, excluded.website, excluded.artist, excluded.venue_name, excluded.genre,
          excluded.description, excluded.year, excluded.status, excluded.details, true)
      returning id
    )
    select (count(*) filter (where listed is null))::int as added, (count(*) filter (where listed))::int as changed,
      (count(*) filter (where not listed))::int as returned
    from written left join before using (id)`.execute(trx);
  return rows[0] ?? { added: 0, changed: 0, returned: 0 };
}
