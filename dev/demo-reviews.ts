import { type Kysely, sql } from "kysely";
import type { Logger } from "pino";
import type { Schema } from "../src/database/schema.server.ts";
import type { FestivalEvent } from "./festival/event.ts";
import { idOf } from "./festival/listing.ts";
import { seedDemoReviews } from "./reviews/seed.ts";

/** Puts invented reviews beside an invented programme: never beside any other show, and only where there is no user yet. */
export async function inventReviews(db: Kysely<Schema>, programme: FestivalEvent[], log: Logger): Promise<void> {
  if (await hasOtherShows(db, programme.map(idOf))) return;
  const seeded = await seedDemoReviews(db, log);
  if (seeded) console.log(`Invented ${seeded.reviews} reviews by ${seeded.users} people, to have something to show.`);
}

async function hasOtherShows(db: Kysely<Schema>, invented: readonly string[]): Promise<boolean> {
  const found = await sql`select from shows where id <> all (${invented}::text[]) limit 1`.execute(db);
  return found.rows.length > 0;
}
