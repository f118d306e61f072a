import { z } from "zod";
import { answers } from "./review.ts";

const review = z.object({
  show_id: z.string(),
  user_id: z.uuid().meta({ description: "Always the signed-in user's own" }),
  audience_interaction: z.enum(answers),
  notes: z.string().nullable().meta({ description: "Plain text" }),
  created_at: z.iso.datetime(),
});

/** The answer of `GET /api/reviews/mine`. */
export const ownReviews = z.object({ reviews: z.array(review) });

/** What the OpenAPI description says of `GET /api/reviews/mine`. */
export const describeOwnReviews = {
  summary: "The signed-in user's own reviews, newest first",
  answer: ownReviews,
  errors: { "401": "invalid_client_key or authentication_required", "503": "unavailable" },
  signedIn: true,
};
