import * as z from "zod/mini";

/** The maximum length of an objection, in UTF-16 code units, once trimmed (docs/product.md §13.15). */
export const OBJECTION_MAX = 500;

/** The response to `POST /api/reviews/objections`. */
export const objectionResponse = z.object({ objected: z.literal(true) });
