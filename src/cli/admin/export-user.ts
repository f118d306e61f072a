import { sql } from "kysely";
import { type Db, findOneUser } from "./command.ts";
import { print } from "./console.ts";

/** `export-user <e-mail or id>`: prints all stored data of one user as JSON, to be handed to that person. */
export async function exportUser(db: Db, emailOrId: string): Promise<number> {
  const { id } = await findOneUser(db, emailOrId);
  print(JSON.stringify(await readUserData(db, id), null, 2));
  return 0;
}

/** Reads one snapshot. Sessions and flows come without their secrets, which would let a reader sign in. */
function readUserData(db: Db, id: string): Promise<object> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const rowsOf = (table: "identities" | "sessions" | "flows") =>
        trx.selectFrom(table).where("user_id", "=", id);
      return {
        user: await trx.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
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
async function findWriteCounts(db: Db, id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select split_part(key, ':', 1)::integer as within_seconds, points as writes, to_timestamp(expire / 1000.0) as until
    from review_limits where key like ${`%:${id}`} order by 1`.execute(db);
  return rows;
}
