import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/**
 * Reads all stored data of a user, as one snapshot; null if there is no such user. Sessions and flows come
 * without their secrets, which would let a reader sign in.
 */
export function readUserData(db: Kysely<Schema>, id: string): Promise<object | null> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const rowsOf = (table: "identities" | "sessions" | "flows") =>
        trx.selectFrom(table).where("user_id", "=", id);
      const user = await trx.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
      if (!user) return null;
      return {
        user,
        identities: await rowsOf("identities").selectAll().orderBy("provider").execute(),
        sessions: await rowsOf("sessions")
          .select(["provider", "created_at", "refreshed_at", "expires_at"])
          .orderBy("created_at")
          .execute(),
        sign_ins_under_way: await rowsOf("flows").select(["provider", "created_at", "expires_at"]).execute(),
        reviews: await trx
          .selectFrom("reviews")
          .innerJoin("shows", "shows.id", "reviews.show_id")
          .select(["show_id", "title", "audience_interaction", "notes", "reviews.created_at"])
          .where("user_id", "=", id)
          .orderBy("reviews.created_at")
          .execute(),
        writes_counted: await findWriteCounts(trx, id),
        operators_notes: await trx
          .selectFrom("audit")
          .select(["at", "action", "details"])
          .where((audit) =>
            audit.or([
              audit(sql`details ->> 'user_id'`, "=", id),
              audit("id", "in", trx.selectFrom("reviews").select("moved_by").where("user_id", "=", id)),
            ]),
          )
          .orderBy("id")
          .execute(),
      };
    });
}

/** The counters of the write limits: per minute, hour and day. */
async function findWriteCounts(db: Kysely<Schema>, id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select split_part(key, ':', 1)::integer as within_seconds, points as writes, to_timestamp(expire / 1000.0) as until
    from review_limits where key like ${`%:${id}`} order by 1`.execute(db);
  return rows;
}
