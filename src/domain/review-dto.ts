import * as z from "zod/mini";
import { answers, count, moment, NOTES_SHOWN, talliesSchema } from "./review.ts";

/** A review as its writer sees it. */
const review = z.object({
  show_id: z.string(),
  user_id: z.uuid(),
  audience_interaction: z.enum(answers),
  notes: z.nullable(z.string()),
  created_at: moment,
});

/** The response to `PUT /api/reviews`: the review as it is stored, and the show's new tallies. */
export const savedReview = z.object({ review, reviews: talliesSchema });

/** The response to `GET /api/reviews/mine`. */
export const ownReviews = z.object({ reviews: z.array(review) });

/** The reviews of a show that gave one answer: how many, and the newest notes, newest first. */
const answerReviews = z.object({
  count,
  notes: z.array(z.object({ notes: z.string(), created_at: moment })).check(z.maxLength(NOTES_SHOWN)),
});

/** The response to `GET /api/reviews`, by show. */
export const showsReviews = z.object({
  reviews: z.record(z.string(), z.object({ no: answerReviews, very_little: answerReviews, yes: answerReviews })),
});

export type Review = z.infer<typeof review>;
export type SavedReview = z.infer<typeof savedReview>;
export type OwnReviews = z.infer<typeof ownReviews>;
export type ShowReviews = z.infer<typeof showsReviews>["reviews"][string];
