import { z } from "zod";
import { answers, NOTES_MAX } from "../domain/review.ts";

const answer = z.enum(answers);
const moment = z.iso.datetime();
const count = z.int().min(0);

const review = z.object({
  show_id: z.string(),
  user_id: z.uuid().meta({ description: "Always the signed-in user's own" }),
  audience_interaction: answer,
  notes: z.string().nullable().meta({ description: "Plain text" }),
  created_at: moment,
});

/** What `PUT /api/reviews` takes. How long notes are is looked at when they have been cleaned. */
export const reviewBody = z.object({
  show_id: z.string().min(1).max(200),
  user_id: z.string(),
  audience_interaction: answer,
  notes: z
    .string()
    .nullish()
    .meta({ description: `At most ${NOTES_MAX} UTF-16 code units once trimmed` }),
});

/** The answer of `PUT /api/reviews`. */
export const reviewAnswer = z.object({
  review,
  reviews: z.object({ no: count, very_little: count, yes: count, latest_at: moment.nullable() }),
});

/** The answer of `GET /api/reviews/mine`. */
export const ownReviews = z.object({ reviews: z.array(review) });

const notes = z.object({ count, notes: z.array(z.object({ notes: z.string(), created_at: moment })).max(5) });

/** The answer of `GET /api/reviews`. */
export const showsReviews = z.object({
  reviews: z.record(z.string(), z.object({ no: notes, very_little: notes, yes: notes })),
});

/** What the OpenAPI description says of `GET /api/reviews`. */
export const describeReviews = {
  summary: "How many reviews of shows gave each answer, and their newest notes",
  parameters: [
    {
      name: "show_id",
      description: "1 to 20 shows; what is not listed is left out of the answer",
      schema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 20 },
      explode: true,
    },
  ],
  answer: showsReviews,
  errors: { "400": "invalid_query", "401": "invalid_client_key", "429": "rate_limited", "503": "unavailable" },
};

/** What it says of `PUT /api/reviews`. */
export const describeWriting = {
  summary: "Writes the signed-in user's review of a show in place of an earlier one; safe to repeat",
  body: reviewBody,
  answer: reviewAnswer,
  errors: {
    "400": "invalid_review",
    "401": "invalid_client_key or authentication_required",
    "403": "not_your_review",
    "404": "show_not_found",
    "413": "request_too_large",
    "422": "notes_too_long",
    "429": "rate_limited; Retry-After says for how many seconds",
    "503": "unavailable",
  },
  signedIn: true,
};

/** What it says of `GET /api/reviews/mine`. */
export const describeOwnReviews = {
  summary: "The signed-in user's own reviews, newest first",
  answer: ownReviews,
  errors: { "401": "invalid_client_key or authentication_required", "429": "rate_limited", "503": "unavailable" },
  signedIn: true,
};
