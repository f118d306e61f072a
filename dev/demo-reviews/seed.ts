import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../src/database/schema.server.ts";
import { inventReviews } from "./reviews.ts";

export async function hasUsers(db: Db): Promise<boolean> {
  return Boolean(await db.selectFrom("users").select("id").limit(1).executeTakeFirst());
}

/** Must not be called with real shows. @returns null if there are users already, or no shows */
export async function seedDemoReviews(
  db: Db,
  log: Logger,
  { seed }: { seed?: number } = {},
): Promise<{ users: number; reviews: number } | null> {
  return db.transaction().execute(async (trx) => {
    // A concurrent start waits here and then finds users. Reads are not blocked.
    await sql`lock table users in share row exclusive mode`.execute(trx);
    if (await hasUsers(trx)) return null;
    const shows = await trx
      .selectFrom("shows")
      .select(["id", "title", "genre"])
      .where("listed", "=", true)
      .where("status", "=", "active")
      .execute();
    const { users, reviews } = inventReviews({ seed, shows });
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
