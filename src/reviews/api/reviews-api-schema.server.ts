import { z } from "zod";
import { interactionNotes, notesByShow, notesPage } from "../../domain/notes-dto.ts";
import { interactions, NOTES_MAX } from "../../domain/review.ts";
import { ownReview, ownReviews, removedReview, reviewBody, savedReview } from "../../domain/review-dto.ts";
import { talliesSchema, timestamp } from "../../domain/tallies-dto.ts";
import { isPlainText } from "../../domain/text.ts";
import { pageParameter, readErrors, writeErrors } from "../../http/requests/query-parameters.server.ts";
import { OWN_REVIEWS_PAGE_SIZE } from "../store/reviews-table.server.ts";

/** The most shows in one request: as many as on a page of the list (docs/product.md §9.4). */
const MAX_SHOWS = 20;

const idsError = `show_id must be given 1 to ${MAX_SHOWS} times`;
const answerError = `answer must be one of ${interactions.join(", ")}, given once`;
const isOne = (ids: readonly string[]) => new Set(ids).size === 1;

export const reviewsParameters = z
  .object({
    show_id: z
      .array(z.string(), { error: idsError })
      .refine((ids) => new Set(ids).size <= MAX_SHOWS, { error: idsError })
      .meta({
        minItems: 1,
        maxItems: MAX_SHOWS,
        description: `1 to ${MAX_SHOWS} shows, of which the response leaves out what is not listed; one with answer`,
      }),
    answer: z
      .tuple([z.enum(interactions, { error: answerError })], { error: answerError })
      .optional()
      .meta({ description: "All notes for this answer, newest first, in pages" }),
    page: pageParameter(),
  })
  .refine(({ show_id, answer }) => !answer || isOne(show_id), { error: "answer needs one show_id" })
  .refine(({ answer, page }) => answer || !page, { error: "page needs answer" });

export const removalParameters = z.object({
  show_id: z
    .tuple([z.string().min(1).max(200).refine(isPlainText)])
    .meta({ description: "The show, listed or not" }),
});

export const ownReviewsParameters = z.object({ page: pageParameter() });

// Added here and not in the shared schemas: browsers would download the descriptions.
const { shape: review } = savedReview.shape.review;
const registry = z.globalRegistry;
registry.add(timestamp, { format: "date-time" });
registry.add(talliesSchema.shape.latest_at, { description: "When the newest review was written" });
registry.add(talliesSchema.shape.revision, {
  description: "Grows with each change of the show's reviews: of two responses, the greater is the newer",
});
registry.add(notesPage.shape.page, {
  description: "The number of this page; past the end, that of the last page",
});
registry.add(notesPage.shape.total, { description: "How many notes there are on all pages" });
registry.add(interactionNotes.shape.total, { description: "How many notes there are, without hidden ones" });
registry.add(review.user_id, { description: "Always the signed-in user's own", format: "uuid" });
registry.add(review.notes, { description: "Plain text" });
registry.add(ownReview.shape.year, { description: "The show's festival year" });
registry.add(ownReview.shape.listed, { description: "Whether the show is in the list" });
registry.add(ownReview.shape.hidden, {
  description: "Under which rule the notes are hidden from everybody else, and whether one can object",
});
registry.add(ownReviews.shape.total, { description: "The number of all reviews of the user" });
registry.add(ownReviews.shape.next_page, { description: "The number of the next page; null at the end" });
registry.add(reviewBody.shape.notes, { description: `At most ${NOTES_MAX} UTF-16 code units once cleaned` });

export const describeReviews = {
  summary:
    "How many reviews of shows gave each answer, and their newest notes; with answer, all notes of a show",
  parameters: reviewsParameters,
  response: z.union([notesByShow, notesPage]),
  errors: { ...readErrors, "404": "show_not_found, with answer" },
};

export const describeReviewWrite = {
  summary: "Writes the signed-in user's review of a show in place of an earlier one; safe to repeat",
  body: reviewBody,
  response: savedReview,
  errors: {
    "400": "invalid_review",
    ...writeErrors,
    "403": "not_your_review, or reviews_closed",
    "404": "show_not_found",
    "413": "request_too_large",
    "422": "notes_too_long",
  },
  signedIn: true,
};

export const describeReviewRemoval = {
  summary: "Deletes the signed-in user's review of a show, if there is one; safe to repeat",
  parameters: removalParameters,
  response: removedReview,
  errors: { ...readErrors, ...writeErrors },
  signedIn: true,
};

export const describeOwnReviews = {
  summary: `The signed-in user's own reviews, with their shows, newest first, ${OWN_REVIEWS_PAGE_SIZE} a page`,
  parameters: ownReviewsParameters,
  response: ownReviews,
  errors: { ...readErrors, "401": "invalid_client_key or authentication_required" },
  signedIn: true,
};
