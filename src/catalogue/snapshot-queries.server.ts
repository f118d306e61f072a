import { type Kysely, sql } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { RevisedTallies } from "../domain/review.ts";
import { type Show, YEAR } from "../domain/show.ts";

/** The listed shows and their tallies as they were at one moment, in no order. */
export interface Snapshot {
  shows: Show[];
  /** Also of shows that are not listed; a show without reviews may have none. Null when they were not read. */
  tallies: ShowTallies[] | null;
}

export interface ShowTallies extends RevisedTallies {
  show_id: string;
}

/** Reads a snapshot from the database in one transaction. */
export function readSnapshot(db: Kysely<Schema>): Promise<Snapshot> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => ({ shows: await findListedShows(trx), tallies: await findTallies(trx) }));
}

/** Reads a snapshot without tallies, for when those cannot be read. */
export async function readShowsAlone(db: Kysely<Schema>): Promise<Snapshot> {
  return { shows: await findListedShows(db), tallies: null };
}

/** The columns are in the order of the API's JSON. */
function findListedShows(db: Kysely<Schema>): Promise<Show[]> {
  return db
    .selectFrom("shows")
    .select(["id", "title", "website", "artist", "venue_name", "genre", "description", "year", "status"])
    .where("year", "=", YEAR)
    .where("listed", "=", true)
    .execute();
}

function findTallies(db: Kysely<Schema>): Promise<ShowTallies[]> {
  // The format of the notifications (migration 0004).
  const latestAt = sql<string | null>`to_char(latest_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return db
    .selectFrom("tallies")
    .select(["show_id", "no", "very_little", "yes", latestAt.as("latest_at"), "revision"])
    .execute();
}
