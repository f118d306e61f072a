import { z } from "zod";
import { talliesSchema } from "../../domain/tallies-dto.ts";

/** A show's new tallies, as a database notification carries them (`add_to_tally` in the migrations). */
const update = z
  .object({ show_id: z.string(), ...talliesSchema.shape })
  .transform(({ show_id: showId, ...tallies }) => ({ showId, tallies }));

export type TalliesUpdate = z.output<typeof update>;

/** @throws ZodError, SyntaxError when the payload is malformed */
export function decodeTalliesUpdate(payload: string): TalliesUpdate {
  return update.parse(JSON.parse(payload));
}
