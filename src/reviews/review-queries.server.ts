import type { Kysely } from "kysely";
import type { Schema } from "../database/schema.server.ts";

/** A user's own reviews, newest first. */
export function findReviewsOf(db: Kysely<Schema>, userId: string) {
  return db
    .selectFrom("reviews")
    .select(["show_id", "user_id", "audience_interaction", "notes", "created_at"])
    .where("user_id", "=", userId)
    .orderBy("created_at", "desc")
    .orderBy("show_id")
    .execute();
}
