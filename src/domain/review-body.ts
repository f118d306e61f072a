import * as z from "zod/mini";
import { interactions } from "./review.ts";

/**
 * The request body of `PUT /api/reviews`. The length limit applies to cleaned notes (`cleanNotes`), so it is
 * not here.
 */
export const reviewBody = z.object({
  show_id: z.string().check(z.minLength(1), z.maxLength(200)),
  user_id: z.string(),
  audience_interaction: z.enum(interactions),
  notes: z.nullish(z.string()),
});

export type ReviewBody = z.infer<typeof reviewBody>;
