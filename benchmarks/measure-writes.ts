import pg from "pg";
import { type HttpConnection, openConnection } from "../dev/harness/http-connection.ts";
import { type InventedReviewer, reviewHeaders } from "../dev/harness/reviewers.ts";
import { interactions } from "../src/domain/review.ts";
import type { Figures } from "./goals.ts";
import { type Effort, perSecond, ratio, repeating, type Target, takeTurns } from "./load.ts";
import { type ReviewToWrite, writeReview } from "./review-statements.ts";

/** Who reviews what: another review each time. */
export interface Reviews {
  reviewers: readonly InventedReviewer[];
  showIds: readonly string[];
}

/** Goal 5: reviews through HTTP against as many database clients that run the same statements. */
export async function measureWrites(
  { origin, pid }: Target,
  { databaseUrl, ...reviews }: Reviews & { databaseUrl: string },
  effort: Effort,
): Promise<Figures> {
  const turns = { http: 0, sql: 0 };
  const http = repeating(pid, undefined, () => {
    const connection = openConnection(origin, {});
    return { work: () => putReview(connection, reviews, turns.http++), close: connection.close };
  });
  const sql = repeating(pid, undefined, async () => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const work = () => writeReview(client, reviewAt(reviews, turns.sql++)).then(() => true);
    return { work, close: () => client.end() };
  });
  await takeTurns([http, sql], effort);
  return { writes: { value: ratio(http, sql), detail: `${perSecond(http)} of ${perSecond(sql)}` } };
}

/** Sends a review as the page does; false when the server refuses it because it is busy. */
export async function putReview(
  connection: HttpConnection,
  reviews: Reviews,
  turn: number,
): Promise<boolean> {
  const { userId, showId, interaction, notes, reviewer } = reviewAt(reviews, turn);
  const body = { show_id: showId, user_id: userId, audience_interaction: interaction, notes };
  const status = await connection.put("/api/reviews", reviewHeaders(reviewer), JSON.stringify(body));
  if (status !== 200 && status !== 503) throw new Error(`A review was answered with ${status}`);
  return status === 200;
}

function reviewAt(
  { reviewers, showIds }: Reviews,
  turn: number,
): ReviewToWrite & { reviewer: InventedReviewer } {
  const reviewer = reviewers[turn % reviewers.length];
  const showId = showIds[turn % showIds.length];
  const interaction = interactions[turn % interactions.length];
  if (!reviewer || !showId || !interaction) throw new Error("There is nobody to review, or nothing");
  const notes = `Review ${turn}: they asked me up, and I would go again.`;
  return { userId: reviewer.id, sessionId: reviewer.sessionId, reviewer, showId, interaction, notes };
}
