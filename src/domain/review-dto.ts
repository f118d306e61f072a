import * as z from "zod/mini";
import { count, interactions, talliesSchema, timestamp } from "./review.ts";

/** A review as its author sees it. */
const review = z.object({
  show_id: z.string(),
  user_id: z.uuid(),
  audience_interaction: z.enum(interactions),
  notes: z.nullable(z.string()),
  created_at: timestamp,
});

/**
 * The response to `PUT /api/reviews`: the review as it is stored, and the show's new tallies. The API calls
 * three shapes `reviews`: a show's tallies (`talliesSchema`), the notes of shows (`notesByShow`) and a user's
 * own reviews (`ownReviews`).
 */
export const savedReview = z.object({ review, reviews: talliesSchema });

/** The response to `GET /api/reviews/mine`: one page. `next_page` is null, or absent, at the end. */
export const ownReviews = z.object({
  reviews: z.array(review),
  // An instance of an earlier version, during a rolling restart, sends all reviews without it.
  next_page: z.optional(z.nullable(count)),
});

export type Review = z.infer<typeof review>;
export type SavedReview = z.infer<typeof savedReview>;
export type OwnReviews = z.infer<typeof ownReviews>;
