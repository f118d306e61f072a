import { z } from "zod";
import type { Tallies } from "../../domain/review.ts";
import { talliesSchema } from "../../domain/tallies-dto.ts";

/** A show's new tallies, as a database notification carries them (`add_to_tally` in the migrations). */
export interface TalliesUpdate {
  showId: string;
  tallies: Tallies;
}

const payloadSchema = z.object({ show_id: z.string(), ...talliesSchema.shape });

/** Decodes the payload of a notification. @throws ZodError, SyntaxError when it is malformed */
export function decodeTalliesUpdate(payload: string): TalliesUpdate {
  const { show_id: showId, ...tallies } = payloadSchema.parse(JSON.parse(payload));
  return { showId, tallies };
}
