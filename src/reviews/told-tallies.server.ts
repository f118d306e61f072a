import { type RevisedTallies, readTallies } from "../domain/review.ts";
import { count, record, text } from "../json.ts";

/** A show's tallies as the database tells them when they change (`add_to_tally` in its migrations). */
export interface ToldTallies {
  showId: string;
  tallies: RevisedTallies;
}

/** @throws TypeError, SyntaxError when it is anything else */
export function readToldTallies(payload: string): ToldTallies {
  const told = record(JSON.parse(payload));
  return { showId: text(told.show_id), tallies: { ...readTallies(told), revision: count(told.revision) } };
}
