import * as z from "zod/mini";
import { reportReasons } from "./report.ts";
import { interactions } from "./review.ts";
import { count, talliesSchema, timestamp } from "./tallies-dto.ts";

/** The request body of `PUT /api/reviews`. `cleanText` comes before the length limit of notes. */
export const reviewBody = z.object({
  show_id: z.string().check(z.minLength(1), z.maxLength(200)),
  user_id: z.string(),
  audience_interaction: z.enum(interactions),
  notes: z.nullish(z.string()),
});

export type ReviewBody = z.infer<typeof reviewBody>;

const review = z.object({
  show_id: z.string(),
  user_id: z.string(),
  audience_interaction: z.enum(interactions),
  notes: z.nullable(z.string()),
  created_at: timestamp,
});

/** The API calls three shapes `reviews`: a show's tallies, the notes of shows, a user's own reviews. */
export const savedReview = z.object({ review, reviews: talliesSchema });

export const removedReview = z.object({ reviews: talliesSchema });

/** Why notes are hidden, and the state of the author's objection (docs/product.md §13.14). */
const hiding = z.object({ rule: z.enum(reportReasons), objection: z.enum(["possible", "sent", "over"]) });

export const ownReview = z.object({
  ...review.shape,
  title: z.string(),
  artist: z.nullable(z.string()),
  // Optional in the first version: a new page may ask an old instance.
  venue_name: z.nullish(z.string()),
  year: z.int(),
  listed: z.boolean(),
  hidden: z.nullable(hiding),
});

/** The response to `GET /api/reviews/mine`. `next_page` is null at the end. */
export const ownReviews = z.object({
  reviews: z.array(ownReview),
  total: count(),
  next_page: z.nullable(count()),
});

export type Review = z.infer<typeof review>;
export type SavedReview = z.infer<typeof savedReview>;
export type RemovedReview = z.infer<typeof removedReview>;
/** A review that was just saved has only the fields of the review itself. */
export type OwnReview = Review & Partial<z.infer<typeof ownReview>>;
export type OwnReviewsPage = z.infer<typeof ownReviews>;
