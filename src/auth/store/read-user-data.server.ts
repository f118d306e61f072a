import { type Kysely, sql } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/**
 * Reads all stored data of a user, as one snapshot; null if there is no such user. Sessions and sign-ins come
 * without their secrets, which would let a reader sign in.
 */
export function readUserData(db: Kysely<Schema>, id: string): Promise<object | null> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const rowsOf = (table: "identities" | "sessions" | "sign_ins") =>
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
        latest_sign_ins: await rowsOf("sign_ins")
          .select(["provider", "returned_at", "exchanged_at"])
          .orderBy("returned_at")
          .execute(),
        reviews: await trx
          .selectFrom("reviews")
          .innerJoin("shows", "shows.id", "reviews.show_id")
          .select(["show_id", "title", "audience_interaction", "notes", "reviews.created_at", "hidden_rule"])
          .where("user_id", "=", id)
          .orderBy("reviews.created_at")
          .execute(),
        deleted_reviews: await trx
          .selectFrom("deleted_reviews")
          .select(["show_id", "created_at", "deleted_at"])
          .where("user_id", "=", id)
          .orderBy("deleted_at")
          .execute(),
        reports_made: await findReportsBy(trx, id),
        reports_of_your_notes: await findReportsOf(trx, id),
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

function findReportsBy(db: Kysely<Schema>, id: string): Promise<object[]> {
  return db
    .selectFrom("report_reasons")
    .innerJoin("reports", "reports.id", "report_id")
    .select(["show_id", "reason", "text", "at"])
    .where("reporter_id", "=", id)
    .orderBy("report_reasons.id")
    .execute();
}

/** What was reported of the user's notes, and what was decided: nothing of who reported it. */
async function findReportsOf(db: Kysely<Schema>, id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select show_id, rule, opened_at, hidden_at, objection, objected_at, decided_at, coalesce((
      select json_agg(json_build_object('decision', action, 'reason', reason, 'at', at, 'undone_at', undone_at) order by id)
      from decisions where report_id = reports.id
    ), '[]') as decisions
    from reports where author_id = ${id} order by id`.execute(db);
  return rows;
}

/** The counters of the write limits: per minute, hour and day. */
async function findWriteCounts(db: Kysely<Schema>, id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select split_part(key, ':', 1)::integer as within_seconds, points as writes, to_timestamp(expire / 1000.0) as until
    from review_limits where key like ${`%:${id}`} order by 1`.execute(db);
  return rows;
}
