import { isDeepStrictEqual } from "node:util";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { Show } from "../domain/show.ts";

/** All stored shows, listed or not. */
export function findStoredShows(
  db: Kysely<Schema>,
): Promise<(Pick<Show, "id" | "year" | "title" | "artist"> & { listed: boolean })[]> {
  return db.selectFrom("shows").select(["id", "year", "title", "artist", "listed"]).execute();
}

/** The distinct phrases of all stored warnings, listed or not. */
export async function findStoredPhrases(db: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ phrase: string }>`
    select distinct phrase from shows cross join unnest(warnings) as phrase`.execute(db);
  return rows.map(({ phrase }) => phrase);
}

/** Unlists shows. Their rows, tallies and reviews stay (docs/product.md §7.5). */
export async function unlistShows(trx: Transaction<Schema>, ids: readonly string[]): Promise<void> {
  await sql`update shows set listed = false, updated_at = now() where id = any (${ids}::text[]) and listed`.execute(
    trx,
  );
}

/** Shows per statement, so that neither side holds the whole programme as one string. */
const BATCH = 200;

/**
 * Inserts or updates the given shows and lists them. Rows that are already equal and listed are not written.
 * @returns the ids of the written shows
 */
export async function upsertShows(trx: Transaction<Schema>, shows: readonly StoredShow[]): Promise<string[]> {
  const written: string[] = [];
  for (let start = 0; start < shows.length; start += BATCH) {
    written.push(...(await upsertBatch(trx, await findChanged(trx, shows.slice(start, start + BATCH)))));
  }
  return written;
}

type StoredShow = Omit<Show, "announced"> & { warnings: string[] | null; details: Record<string, unknown> };

/**
 * The shows that differ from their stored rows. Usually few do, and selecting the rows costs PostgreSQL a
 * sixth of the time that it needs to parse the same shows from JSON.
 */
async function findChanged(trx: Transaction<Schema>, shows: readonly StoredShow[]): Promise<StoredShow[]> {
  const stored = await trx
    .selectFrom("shows")
    .select([
      "id",
      "title",
      "website",
      "artist",
      "venue_name",
      "genre",
      "description",
      "year",
      "status",
      "warnings",
      "details",
    ])
    .where("id", "=", sql<string>`any (${shows.map(({ id }) => id)}::text[])`)
    .where("listed", "=", true)
    .execute();
  const storedById = new Map(stored.map((show) => [show.id, show]));
  return shows.filter((show) => !isDeepStrictEqual(storedById.get(show.id), show));
}

async function upsertBatch(trx: Transaction<Schema>, shows: readonly StoredShow[]): Promise<string[]> {
  if (shows.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    insert into shows as old (id, title, website, artist, venue_name, genre, description, year, status, warnings,
      details)
    select id, title, website, artist, venue_name, genre, description, year, status, warnings, details
    from jsonb_to_recordset(${JSON.stringify(shows)}::jsonb) as show (id text, title text, website text, artist text,
      venue_name text, genre text, description text, year integer, status text, warnings text[], details jsonb)
    on conflict (id) do update set
      title = excluded.title, website = excluded.website, artist = excluded.artist, venue_name = excluded.venue_name,
      genre = excluded.genre, description = excluded.description, year = excluded.year, status = excluded.status,
      warnings = excluded.warnings, details = excluded.details, listed = true, updated_at = now()
    where (old.title, old.website, old.artist, old.venue_name, old.genre, old.description, old.year, old.status,
        old.warnings, old.details, old.listed)
      is distinct from (excluded.title, excluded.website, excluded.artist, excluded.venue_name, excluded.genre,
        excluded.description, excluded.year, excluded.status, excluded.warnings, excluded.details, true)
    returning id`.execute(trx);
  return rows.map(({ id }) => id);
}
