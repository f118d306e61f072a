import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../src/database/schema.server.ts";
import { hasUsers, seedDemoReviews } from "./demo-reviews.ts";
import type { FestivalEvent } from "./fake-festival-api/event.ts";
import { idOf } from "./fake-festival-api/listing.ts";
import { type FakeFestivalApi, startFakeFestivalApi } from "./fake-festival-api/server.ts";
import { loadProgramme } from "./invented-data.ts";

/** Only for a database without users, and with only invented shows. */
export async function inventReviews(db: Db, programme: () => FestivalEvent[], log: Logger): Promise<void> {
  if ((await hasUsers(db)) || !(await isInvented(db, programme()))) return;
  const seeded = await seedDemoReviews(db, log);
  if (seeded)
    console.log(`Invented ${seeded.reviews} reviews by ${seeded.users} people, to have something to show.`);
}

/** Null without shows, or with a real show. */
export async function startFakeApiForDemo(db: Db): Promise<FakeFestivalApi | null> {
  const programme = loadProgramme();
  return (await isInvented(db, programme)) ? startFakeFestivalApi({ programme: () => programme }) : null;
}

async function isInvented(db: Db, programme: FestivalEvent[]): Promise<boolean> {
  const ids = programme.map(idOf);
  const { rows } = await sql<{ invented: boolean }>`
    select exists (select from shows) and not exists (
      select from shows left join unnest(${ids}::text[]) as programme (id) using (id) where programme.id is null
    ) as invented`.execute(db);
  return rows[0]?.invented ?? false;
}
