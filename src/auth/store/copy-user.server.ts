import type { Transaction } from "kysely";
import type { Schema } from "../../database/schema.server.ts";

/** Without the secrets of sessions and sign-ins, which would let a reader sign in. Null without a user. */
export async function copyUser(trx: Transaction<Schema>, id: string) {
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
