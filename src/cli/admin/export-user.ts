import { sql } from "kysely";
import { type Db, findOneUser } from "./command.ts";
import { print } from "./console.ts";

/** `export-user <e-mail or id>`: everything that is stored of one person, as JSON, for that person. */
export async function exportUser(db: Db, who: string): Promise<number> {
  const { id } = await findOneUser(db, who);
  print(JSON.stringify(await readEverythingOf(db, id), null, 2));
  return 0;
}

/** As of one moment. Of sessions and sign-ins under way it has the times: what is secret in them lets in whoever reads it. */
function readEverythingOf(db: Db, id: string): Promise<object> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (trx) => {
      const rowsOf = (table: "identities" | "sessions" | "flows") => trx.selectFrom(table).where("user_id", "=", id);
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
          .where(sql`details ->> 'user_id'`, "=", id)
          .orderBy("id")
          .execute(),
      };
    });
}

/** How much the person has written lately: in a minute, an hour and a day. */
async function findWriteCounts(db: Db, id: string): Promise<object[]> {
  const { rows } = await sql<object>`
    select split_part(key, ':', 1)::integer as within_seconds, points as writes, to_timestamp(expire / 1000.0) as until
    from review_limits where key like ${`%:${id}`} order by 1`.execute(db);
  return rows;
}
