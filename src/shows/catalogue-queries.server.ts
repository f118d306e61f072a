import type { Kysely } from "kysely";
import type { Schema } from "../database/schema.server.ts";
import type { Tallies } from "../reviews/review.ts";
import { type Show, YEAR } from "./show.ts";

/** Every listed show of the year, in no order. */
export function findListedShows(db: Kysely<Schema>): Promise<Show[]> {
  return db
    .selectFrom("shows")
    .select(["id", "title", "website", "artist", "venue_name", "genre", "description", "year", "status"])
    .where("year", "=", YEAR)
    .where("listed", "=", true)
    .execute();
}

/** Tallies by show id: of the given shows, or of all. A show that never had a review has none. */
export async function findTallies(
  db: Kysely<Schema>,
  showIds: readonly string[] | "all" = "all",
): Promise<Map<string, Tallies>> {
  const all = db.selectFrom("tallies").select(["show_id", "no", "very_little", "yes", "latest_at"]);
  const rows = await (showIds === "all" ? all : all.where("show_id", "in", showIds)).execute();
  return new Map(
    rows.map(({ show_id, latest_at, ...counts }) => [
      show_id,
      { ...counts, latest_at: latest_at?.toISOString() ?? null },
    ]),
  );
}
