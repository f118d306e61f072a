import { sql } from "kysely";
import { createAccessTokens } from "../../src/auth/tokens/access-token.server.ts";
import { createSigningKeys } from "../../src/auth/tokens/signing-keys.server.ts";
import type { Db } from "../../src/database/schema.server.ts";

export interface Reviewer {
  id: string;
  token: string;
}

export interface InventedReviewer extends Reviewer {
  sessionId: string;
}

/** Has sessions as after a sign-in at this origin. */
export async function inventReviewers(db: Db, origin: string, count: number): Promise<InventedReviewer[]> {
  const { rows } = await sql<{ id: string; sessionId: string }>`
    with invented as (
      insert into users (email) select n || '@reviewers.example' from generate_series(1, ${count}::integer) n returning id
    )
    insert into sessions (user_id, provider, refresh_key, expires_at)
    select id, 'google', decode(repeat('00', 32), 'hex'), now() + interval '1 day' from invented
    returning user_id as id, id as "sessionId"`.execute(db);
  return signInAt(db, origin, rows);
}

/** Signs in at another origin of the site. */
export async function signInAt(
  db: Db,
  origin: string,
  reviewers: readonly Omit<InventedReviewer, "token">[],
): Promise<InventedReviewer[]> {
  const issue = await createAccessTokens(createSigningKeys(db), `${origin}/auth/v1`).issuer();
  return Promise.all(
    reviewers.map(async ({ id, sessionId }) => {
      const user = { id, email: "", app_metadata: {}, user_metadata: {} };
      const session = { id: sessionId, provider: "google", created_at: new Date() } as const;
      return { id, sessionId, token: (await issue(user, session)).access_token };
    }),
  );
}

/** By a trigger that keeps every count at one. */
export async function liftLimits(db: Db): Promise<void> {
  await sql`create function keep_first() returns trigger language plpgsql as 'begin new.points := 1; return new; end'`.execute(
    db,
  );
  await sql`create trigger keep_first before update on review_limits for each row execute function keep_first()`.execute(
    db,
  );
}

/** Sends the same request as the page. */
export function sendReview(
  origin: string,
  reviewer: Reviewer,
  review: { show_id: string; audience_interaction: string; notes?: string | null },
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${origin}/api/reviews`, {
    method: "PUT",
    signal,
    headers: reviewHeaders(reviewer),
    body: JSON.stringify({ user_id: reviewer.id, notes: null, ...review }),
  });
}

export function reviewHeaders({ token }: Reviewer): Record<string, string> {
  return { apikey: "front-row-public", Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
}
