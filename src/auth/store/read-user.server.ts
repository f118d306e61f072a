import { sql } from "kysely";
import type { Db, Trx } from "../../database/schema.server.ts";

/** In the auth protocol's format. Null if there is no such user. */
export async function readUser(db: Db, id: string) {
  const user = await db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  if (!user) return null;
  const rows = await db
    .selectFrom("identities")
    .selectAll()
    .where("user_id", "=", id)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  const providers = [...new Set(rows.map(({ provider }) => provider))];
  const identities = rows.map((row) => ({
    identity_id: row.id,
    id: row.subject,
    user_id: id,
    identity_data: { sub: row.subject, email: row.email, email_verified: row.email_verified },
    provider: row.provider,
    last_sign_in_at: row.last_sign_in_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    email: row.email,
  }));
  return {
    id,
    aud: "authenticated",
    role: "authenticated",
    email: user.email,
    email_confirmed_at: user.email_confirmed_at,
    phone: "",
    confirmed_at: user.email_confirmed_at,
    last_sign_in_at: user.last_sign_in_at,
    app_metadata: { provider: providers[0], providers },
    user_metadata: {},
    identities,
    created_at: user.created_at,
    updated_at: user.last_sign_in_at ?? user.created_at,
    is_anonymous: false,
  };
}

/** In seconds, by the database's clock. Infinite if there is no such user. */
export async function findAccountAge(db: Db, id: string): Promise<number> {
  const { rows } = await sql<{ age: number }>`
    select extract(epoch from now() - created_at)::float8 as age from users where id = ${id}`.execute(db);
  return rows[0]?.age ?? Number.POSITIVE_INFINITY;
}

/** For the user's export. Without secrets, with which its reader could sign in. Null if there is no such user. */
export async function copyUser(trx: Trx, id: string) {
  const user = await trx.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst();
  if (!user) return null;
  const rowsOf = (table: "identities" | "sessions" | "sign_ins") =>
    trx.selectFrom(table).where("user_id", "=", id);
  return {
    user,
    identities: await rowsOf("identities").selectAll().orderBy("provider").execute(),
    sessions: await rowsOf("sessions")
      .select(["provider", "created_at", "refreshed_at", "expires_at"])
      .orderBy("created_at")
      .execute(),
    latest_sign_ins: await rowsOf("sign_ins")
      .select(["provider", "returned_at", "exchanged_at", "authenticated_at"])
      .orderBy("returned_at")
      .execute(),
  };
}
