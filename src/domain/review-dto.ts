import * as z from "zod/mini";
import { count, interactions, NOTES_SHOWN, talliesSchema, timestamp } from "./review.ts";

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

/** The reviews of a show with one interaction: how many, and the newest notes, newest first. */
const interactionNotes = z.object({
  count,
  notes: z.array(z.object({ notes: z.string(), created_at: timestamp })).check(z.maxLength(NOTES_SHOWN)),
});

const showNotes = z.object({ no: interactionNotes, very_little: interactionNotes, yes: interactionNotes });

/** The response to `GET /api/reviews`: the notes of each show, by the show's id. */
export const notesByShow = z.object({ reviews: z.record(z.string(), showNotes) });

export type Review = z.infer<typeof review>;
export type SavedReview = z.infer<typeof savedReview>;
export type OwnReviews = z.infer<typeof ownReviews>;
export type ShowNotes = z.infer<typeof showNotes>;
