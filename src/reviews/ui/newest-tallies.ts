import type { Tallies } from "../../domain/review.ts";

/** After this time, in ms, every server knows of what was written at another. */
export const HEARD_EVERYWHERE = 2_000;

/** A show's tallies in a list, unless they are unknown, and when the list was asked for. */
export interface ListedTallies {
  tallies: Tallies | undefined;
  askedAt: number;
}

/** A show's tallies in the answer to a review, and when it came. */
export interface AnsweredTallies {
  tallies: Tallies;
  answeredAt: number;
}

/**
 * Which tallies of a show to believe: those of the list, or those of the answer. A list that was asked for before, or hardly
 * later, may come from a server that has not heard of the review yet; any later one has, and of what has been removed since.
 * Times are in ms of the same clock.
 */
export function newestTallies(listed: ListedTallies, answered: AnsweredTallies | undefined): Tallies | undefined {
  if (!listed.tallies || !answered) return listed.tallies ?? answered?.tallies;
  const hasHeard = listed.askedAt > answered.answeredAt + HEARD_EVERYWHERE;
  return hasHeard || timeOf(listed.tallies) > timeOf(answered.tallies) ? listed.tallies : answered.tallies;
}

function timeOf({ latest_at }: Tallies): number {
  return latest_at === null ? 0 : Date.parse(latest_at);
}
