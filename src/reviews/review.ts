/** The three answers to "Did this show involve audience interaction?", least interactive first. */
export const answers = ["no", "very_little", "yes"] as const;

export type Answer = (typeof answers)[number];

/** Short labels, on tallies and in the badge `Most common: …` (decisions, "Names"). */
export const answerLabels: Record<Answer, string> = {
  no: "No",
  very_little: "Very little",
  yes: "Yes",
};

/** How many reviews of one show gave each answer, and when the newest of them was written (ISO 8601; null without reviews). */
export type Tallies = Record<Answer, number> & { latest_at: string | null };

/** The number of reviews that the tallies count. */
export function reviewCount(tallies: Tallies): number {
  return tallies.no + tallies.very_little + tallies.yes;
}

/**
 * The answer most reviews gave, or null without reviews. A tie goes to the more interactive answer: people who dread
 * being picked on must not be misled.
 */
export function mostCommonAnswer(tallies: Tallies): Answer | null {
  if (reviewCount(tallies) === 0) return null;
  return answers.reduce((best, answer) => (tallies[answer] >= tallies[best] ? answer : best));
}
