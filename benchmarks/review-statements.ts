import type pg from "pg";
import { YEAR } from "../src/domain/programme.ts";

export interface ReviewToWrite {
  showId: string;
  userId: string;
  sessionId: string;
  interaction: string;
  notes: string;
}

/**
 * Sends the statements that the product sends for one review, in its order: the session, the three write
 * limits, the transaction. Change them with the product's (src/reviews,
 * src/auth/store/sessions-table.server.ts).
 */
export async function writeReview(client: pg.Client, review: ReviewToWrite): Promise<void> {
  const { showId, userId, sessionId, interaction, notes } = review;
  const session = `select users.id, users.email, sessions.id as "sessionId"
    from sessions join users on users.id = sessions.user_id
    where users.id = $1 and sessions.id = $2 and sessions.expires_at > now() and users.banned_at is null`;
  await client.query(session, [userId, sessionId]);
  for (const seconds of [60, 3_600, 86_400]) {
    const limit = `insert into review_limits values ($1, $2, $3) on conflict (key) do update set
      points = case when (review_limits.expire <= $4 or 1 = 0) then $2 else review_limits.points + ($2) end,
      expire = case when review_limits.expire <= $4 then $3 else review_limits.expire end
      returning points, expire`;
    const now = Date.now();
    await client.query({
      name: "limit",
      text: limit,
      values: [`${seconds}:${userId}`, 1, now + seconds * 1000, now],
    });
  }
  await client.query("start transaction isolation level read committed");
  const deadline = `select set_config('lock_timeout', '5s', true), set_config('statement_timeout', $1, true),
    set_config('idle_in_transaction_session_timeout', $1, true)`;
  await client.query(deadline, ["8000"]);
  await client.query("select id from users where id = $1 and banned_at is null for key share", [userId]);
  const show = `select exists (select from review_closures where show_id is null or show_id = $1) as closed
    from shows where id = $2 and year = $3 and listed`;
  await client.query(show, [showId, showId, YEAR]);
  const upsert = `insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    values ($1, $2, $3, $4, coalesce((
      select created_at from deleted_reviews where user_id = $2 and show_id = $1
        and deleted_at > now() - make_interval(days => 30)), now()))
    on conflict (show_id, user_id) do update
      set audience_interaction = excluded.audience_interaction, notes = excluded.notes, moved_by = null,
        removal = null
      where (reviews.audience_interaction, reviews.notes, null::text)
        is distinct from (excluded.audience_interaction, excluded.notes, reviews.removal)`;
  await client.query(upsert, [showId, userId, interaction, notes]);
  const readBack = `select created_at, hidden_rule, no, very_little, yes, latest_at, revision
    from reviews join tallies on tallies.show_id = reviews.show_id where reviews.show_id = $1 and user_id = $2`;
  await client.query(readBack, [showId, userId]);
  await client.query("commit");
}
