import type { Kysely } from "kysely";
import { expect } from "vitest";
import { type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";

/** Somebody who reviews, one review after the other, and what they know of it. */
export interface TrackedReviewer extends Reviewer {
  /** By show: what the server said it has stored, and what was sent since without an answer. */
  writes: Map<string, { acknowledged: string | null; unanswered: Set<string> }>;
}

export function trackReviewers(reviewers: readonly Reviewer[]): TrackedReviewer[] {
  return reviewers.map((reviewer) => ({ ...reviewer, writes: new Map() }));
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] ?? expect.fail();

/** Writes one review at random, of one of the shows, at one of the sites, and notes what became of it. */
export async function writeRandomReview(
  reviewer: TrackedReviewer,
  origins: readonly string[],
  showIds: readonly string[],
): Promise<void> {
  const showId = pick(showIds);
  const interaction = pick(interactions);
  const notes = pick(["", "Lovely", "They sang to me", `Only ${Math.random()}`]) || null;
  const written = `${interaction} ${notes}`;
  const known = reviewer.writes.get(showId) ?? { acknowledged: null, unanswered: new Set<string>() };
  reviewer.writes.set(showId, known);
  known.unanswered.add(written);
  const review = { show_id: showId, audience_interaction: interaction, notes };
  const response = await sendReview(pick(origins), reviewer, review).catch(() => null);
  if (response?.status !== 200) return;
  expect((await response.json().catch(() => null))?.review).toMatchObject({ audience_interaction: interaction, notes });
  // Whatever was on its way before came before: a reviewer writes one after the other, and a dead server
  // writes nothing more.
  known.acknowledged = written;
  known.unanswered.clear();
}

/** What became of the reviews of witnesses. */
export interface LossReport {
  /** How many were acknowledged. */
  acknowledged: number;
  /** In words, those in whose place nothing is stored, or what neither was acknowledged nor sent since. */
  lost: string[];
}

/** Compares what witnesses know with what is stored. */
export async function findLostReviews(db: Kysely<Schema>, witnesses: readonly TrackedReviewer[]): Promise<LossReport> {
  const stored = await db.selectFrom("reviews").selectAll().execute();
  const reviewOf = new Map(
    stored.map((row) => [`${row.user_id} ${row.show_id}`, `${row.audience_interaction} ${row.notes}`]),
  );
  const told = witnesses.flatMap(({ id, writes }) =>
    [...writes].map(([showId, knows]) => ({ review: `${id} ${showId}`, ...knows })),
  );
  const isLost = ({ review, acknowledged, unanswered }: (typeof told)[number]) => {
    const kept = reviewOf.get(review);
    return kept === undefined ? acknowledged !== null : kept !== acknowledged && !unanswered.has(kept);
  };
  return {
    acknowledged: told.filter(({ acknowledged }) => acknowledged !== null).length,
    lost: told
      .filter(isLost)
      .map(({ review, acknowledged }) => `${review}: ${acknowledged}, and stored is ${reviewOf.get(review)}`),
  };
}
