import { z } from "zod";
import { count, type RevisedTallies, talliesSchema } from "../../domain/review.ts";

/** A show's tallies as the database tells them when they change (`add_to_tally` in its migrations). */
export interface ToldTallies {
  showId: string;
  tallies: RevisedTallies;
}

const payloadSchema = z.object({ show_id: z.string(), revision: count, ...talliesSchema.shape });

/** @throws ZodError, SyntaxError when it is anything else */
export function readToldTallies(payload: string): ToldTallies {
  const { show_id: showId, ...tallies } = payloadSchema.parse(JSON.parse(payload));
  return { showId, tallies };
}
