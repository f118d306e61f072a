import { type Kysely, sql } from "kysely";
import { z } from "zod";
import { inTime } from "../database/in-time.server.ts";
import type { Schema } from "../database/schema.server.ts";

interface NamedUser {
  id: string;
  email: string;
}

/** The users of an id, or of an e-mail, case aside: several can have the same one as long as it is not verified. */
export function findUsers(db: Kysely<Schema>, emailOrId: string): Promise<NamedUser[]> {
  const users = db.selectFrom("users").select(["id", "email"]).orderBy("created_at");
  const { success: isId } = z.guid().safeParse(emailOrId);
  const found = isId
    ? users.where("id", "=", emailOrId)
    : users.where(sql`email_key(email)`, "=", sql`email_key(${emailOrId})`);
  return found.execute();
}

/** How much of a user there was. */
export interface DeletedUser {
  identities: number;
  sessions: number;
  reviews: number;
}

/**
 * Deletes a user with everything of theirs: identities, sessions, reviews, a sign-in under way. The tallies follow in the
 * same transaction. Null when the user is gone already.
 */
export function deleteUser(db: Kysely<Schema>, id: string): Promise<DeletedUser | null> {
  return inTime(db, async (trx) => {
    const { rows } = await sql<DeletedUser>`
      select (select count(*)::integer from identities where user_id = users.id) as identities,
        (select count(*)::integer from sessions where user_id = users.id) as sessions,
        (select count(*)::integer from reviews where user_id = users.id) as reviews
      from users where id = ${id} for update`.execute(trx);
    await trx.deleteFrom("users").where("id", "=", id).execute();
    return rows[0] ?? null;
  });
}
