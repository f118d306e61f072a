import type { Tallies } from "./review.ts";

/**
 * Which tallies of a show to believe: those that came with the list, or those that came with the answer to a review. A list
 * may come from a server that has not heard of the review yet.
 */
export function newestTallies(listed: Tallies | undefined, answered: Tallies | undefined): Tallies | undefined {
  if (!listed || !answered) return listed ?? answered;
  return timeOf(listed) > timeOf(answered) ? listed : answered;
}

function timeOf({ latest_at }: Tallies): number {
  return latest_at === null ? 0 : Date.parse(latest_at);
}
