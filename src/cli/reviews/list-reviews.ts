import { pipeline } from "node:stream/promises";
import { createSearchMatcher } from "../../catalogue/search-folding.ts";
import type { Db } from "../../database/schema.server.ts";
import { codeOf } from "../../lib/error-message.ts";
import { type AuthoredReview, findReviewsWithAuthors } from "../../reviews/store/operator-reviews.server.ts";
import { describeShow, describeUser, findSelection } from "../command.ts";
import { escapeControls } from "../console.ts";

export async function listReviews(db: Db, options: { show?: string; user?: string }): Promise<void> {
  await printReviews(await findReviewsWithAuthors(db, await findSelection(db, options)));
}

export async function listNewestNotes(db: Db, { count }: { count: number }): Promise<void> {
  await printReviews(await findReviewsWithAuthors(db, { withNotes: true }, count));
}

/** Matches like the list's search (docs/product.md §2.6). */
export async function listFoundNotes(db: Db, text: string): Promise<void> {
  const isFound = createSearchMatcher(text);
  const reviews = await findReviewsWithAuthors(db, { withNotes: true });
  await printReviews(reviews.filter(({ notes }) => isFound(notes ?? "")));
}

async function printReviews(reviews: readonly AuthoredReview[]): Promise<void> {
  try {
    await pipeline(reviews.map(toLine), process.stdout, { end: false });
  } catch (error) {
    if (codeOf(error) !== "EPIPE") throw error; // `| head` is fine
  }
}

function toLine(review: AuthoredReview): string {
  const { showId, title, userId, email, notes, createdAt } = review;
  const interaction = `${review.interaction}${review.counted ? "" : " (in quarantine)"}`;
  const about = `${describeShow({ id: showId, title })} by ${describeUser({ id: userId, email })}`;
  return `${createdAt.toISOString()} ${about}: ${interaction}${notes === null ? "" : `: ${escapeControls(notes)}`}\n`;
}
