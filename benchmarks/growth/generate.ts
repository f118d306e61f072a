import { type Kysely, sql } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import { fillReviews } from "../data/reviews.ts";

/** How many there are to be. */
export interface Size {
  shows: number;
  reviews: number;
}

/**
 * Turns a database with a programme and some reviews into one of this size. New shows are put together from titles, artists and
 * venues of those that are there. As a restored dump does, it puts the rows in before it makes the indexes.
 */
export async function grow(db: Kysely<Schema>, { shows, reviews }: Size): Promise<void> {
  await growShows(db, shows);
  const rebuild = await takeDown(db);
  await sql`alter table reviews disable trigger user`.execute(db);
  await fillReviews(db, reviews);
  await rebuild();
  await sql`alter table reviews enable trigger user`.execute(db);
  await sql`
    insert into tallies (show_id, no, very_little, yes, latest_at)
    select show_id, count(*) filter (where audience_interaction = 'no'), count(*) filter (where audience_interaction = 'very_little'),
      count(*) filter (where audience_interaction = 'yes'), max(created_at)
    from reviews group by show_id
    on conflict (show_id) do update set no = excluded.no, very_little = excluded.very_little, yes = excluded.yes,
      latest_at = excluded.latest_at`.execute(db);
  await sql`vacuum (analyze)`.execute(db);
}

async function growShows(db: Kysely<Schema>, total: number): Promise<void> {
  await sql`
    insert into shows (id, title, website, artist, venue_name, genre, description, year, status, details)
    with programme as (select *, row_number() over (order by id) - 1 as number, count(*) over () as size from shows where listed)
    select left(md5(a.id || copy) || md5(copy || a.id), 40),
      rtrim(a.title || ' ' || split_part(b.title, ' ', 1) || ' ' || split_part(c.title, ' ', 2)),
      a.website, b.artist, c.venue_name, a.genre, a.description, a.year, a.status, a.details
    from generate_series(1, ${total}::integer / (select count(*) from programme)) as copy
    cross join programme a
    join programme b on b.number = (a.number * 31 + copy * 997) % a.size
    join programme c on c.number = (a.number * 17 + copy * 499) % a.size
    limit ${total}::integer - (select count(*) from programme)`.execute(db);
}

interface Definition {
  name: string;
  definition: string;
}

/** Takes down the reviews' indexes and constraints; answers what makes them again. What the constraints say is true of invented reviews. */
async function takeDown(db: Kysely<Schema>): Promise<() => Promise<void>> {
  const constraints = await sql<Definition & { kind: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition, contype as kind from pg_constraint
    where conrelid = 'reviews'::regclass and contype in ('p', 'f', 'c') order by contype = 'f'`.execute(db);
  for (const { name } of constraints.rows) await sql`alter table reviews drop constraint ${sql.ref(name)}`.execute(db);
  const indexes = await sql<Definition>`
    select indexname as name, indexdef as definition from pg_indexes where tablename = 'reviews'`.execute(db);
  for (const { name } of indexes.rows) await sql`drop index ${sql.ref(name)}`.execute(db);
  return async () => {
    for (const { definition } of indexes.rows) await sql.raw(definition).execute(db);
    for (const { name, definition, kind } of constraints.rows) {
      const unproven = kind === "p" ? sql`` : sql`not valid`;
      await sql`alter table reviews add constraint ${sql.ref(name)} ${sql.raw(definition)} ${unproven}`.execute(db);
    }
  };
}
