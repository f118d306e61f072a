import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../src/database/schema.server.ts";
import { loadReviews } from "./invented-data.ts";

export async function hasUsers(db: Db): Promise<boolean> {
  return Boolean(await db.selectFrom("users").select("id").limit(1).executeTakeFirst());
}

/** @returns null if there are users already, or no show of the invented programme */
export async function seedDemoReviews(
  db: Db,
  log: Logger,
): Promise<{ users: number; reviews: number } | null> {
  return db.transaction().execute(async (trx) => {
    // A concurrent start waits here and then finds users. Reads are not blocked.
    await sql`lock table users in share row exclusive mode`.execute(trx);
    if (await hasUsers(trx)) return null;
    const shows = await trx
      .selectFrom("shows")
      .select("id")
      .where("listed", "=", true)
      .where("status", "=", "active")
      .execute();
    const reviewable = new Set(shows.map(({ id }) => id));
    const invented = loadReviews();
    const reviews = invented.reviews.filter(({ show_id }) => reviewable.has(show_id));
    const authors = new Set(reviews.map(({ user_id }) => user_id));
    const users = invented.users.filter(({ id }) => authors.has(id));
    if (reviews.length === 0) return null;
    await sql`insert into users (id, email, created_at)
      select id, email, created_at from json_populate_recordset(null::users, ${JSON.stringify(users)})`.execute(
      trx,
    );
    await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
      select show_id, user_id, audience_interaction, notes, created_at
      from json_populate_recordset(null::reviews, ${JSON.stringify(reviews)})`.execute(trx);
    log.info({ users: users.length, reviews: reviews.length }, "Inserted invented reviews");
    return { users: users.length, reviews: reviews.length };
  });
}
