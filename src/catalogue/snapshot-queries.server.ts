import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import { announcedBy } from "../domain/announced.ts";
import type { RevisedTallies } from "../domain/review.ts";
import { type Show, YEAR } from "../domain/show.ts";

/** The listed shows and all tallies at one point in time, unordered. */
export interface Snapshot {
  shows: Show[];
  /**
   * Also of shows that are not listed. A show without reviews may have no row. Null when they were not read.
   */
  tallies: ShowTallies[] | null;
}

export interface ShowTallies extends RevisedTallies {
  show_id: string;
}

/** Reads a consistent snapshot in one repeatable-read transaction. */
export function readSnapshot(db: Kysely<Schema>): Promise<Snapshot> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => ({ shows: await findListedShows(trx), tallies: await findTallies(trx) }));
}

/** Reads a snapshot without tallies: the fallback when they cannot be read (docs/product.md §8.3). */
export async function readShowsAlone(db: Kysely<Schema>): Promise<Snapshot> {
  return { shows: await findListedShows(db), tallies: null };
}

/** The order of the columns is that of the members in the API's JSON. */
async function findListedShows(db: Kysely<Schema>): Promise<Show[]> {
  const rows = await db
    .selectFrom("shows")
    .select(["id", "title", "website", "artist", "venue_name", "genre", "description", "year", "status"])
    .select("warnings")
    .where("year", "=", YEAR)
    .where("listed", "=", true)
    .execute();
  return rows.map(({ warnings, ...show }) => ({ ...show, announced: announcedBy(warnings) }));
}

function findTallies(db: Kysely<Schema>): Promise<ShowTallies[]> {
  // The format of the notifications (migration 0004): timestamps are compared as strings.
  const latestAt = sql<string | null>`to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return db
    .selectFrom("tallies")
    .select(["show_id", "no", "very_little", "yes", latestAt.as("latest_at"), "revision"])
    .execute();
}
