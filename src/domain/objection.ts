import * as z from "zod/mini";
import { cleanNotes, isPlainText } from "./review.ts";

/** The maximum length of an objection, in UTF-16 code units, once trimmed (docs/product.md §13.15). */
export const OBJECTION_MAX = 500;

/** The request body of `POST /api/reviews/objections`. `text` is stored as `cleanNotes` makes it. */
export const objectionBody = z.object({
  show_id: z.string().check(z.minLength(1), z.maxLength(200), z.refine(isPlainText)),
  text: z.string().check(z.refine(isObjection)),
});

/** The response to it. */
export const objectionResponse = z.object({ objected: z.literal(true) });

function isObjection(text: string): boolean {
  const clean = cleanNotes(text);
  return isPlainText(text) && clean !== null && clean.length <= OBJECTION_MAX;
}
