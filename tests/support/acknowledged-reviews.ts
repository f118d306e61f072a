import { expect } from "vitest";
import { type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Db } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";

export interface TrackedReviewer extends Reviewer {
  /** By show id: the last acknowledged review, and later ones without a response. */
  writes: Map<string, { acknowledged: string | null; unanswered: Set<string> }>;
}

export function trackReviewers(reviewers: readonly Reviewer[]): TrackedReviewer[] {
  return reviewers.map((reviewer) => ({ ...reviewer, writes: new Map() }));
}

const pick = <T>(values: readonly T[]): T =>
  values[Math.floor(Math.random() * values.length)] ?? expect.fail();

/** Returns whether it was acknowledged. */
export async function writeRandomReview(
  reviewer: TrackedReviewer,
  origins: readonly string[],
  showIds: readonly string[],
): Promise<boolean> {
  const showId = pick(showIds);
  const interaction = pick(interactions);
  const notes = pick(["", "Lovely", "They sang to me", `Only ${Math.random()}`]) || null;
  const content = `${interaction} ${notes}`;
  const record = reviewer.writes.get(showId) ?? { acknowledged: null, unanswered: new Set<string>() };
  reviewer.writes.set(showId, record);
  record.unanswered.add(content);
  const review = { show_id: showId, audience_interaction: interaction, notes };
  const response = await sendReview(pick(origins), reviewer, review).catch(() => null);
  if (response?.status !== 200) return false;
  expect((await response.json().catch(() => null))?.review).toMatchObject({
    audience_interaction: interaction,
    notes,
  });
  // Earlier writes without a response are older: reviewers write one review at a time, and a killed server stores
  // none.
  record.acknowledged = content;
  record.unanswered.clear();
  return true;
}

/** Acknowledged reviews that are missing, or replaced by an older one. */
export async function findLostReviews(db: Db, reviewers: readonly TrackedReviewer[]) {
  const rows = await db.selectFrom("reviews").selectAll().execute();
  const stored = new Map(
    rows.map((row) => [`${row.user_id} ${row.show_id}`, `${row.audience_interaction} ${row.notes}`]),
  );
  const writes = reviewers.flatMap(({ id, writes }) =>
    [...writes].map(([showId, record]) => ({ current: stored.get(`${id} ${showId}`), ...record })),
  );
  const lost = writes.filter(({ current, acknowledged, unanswered }) =>
    current === undefined ? acknowledged !== null : current !== acknowledged && !unanswered.has(current),
  );
  return { acknowledged: writes.filter(({ acknowledged }) => acknowledged !== null).length, lost };
}
