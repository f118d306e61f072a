import { asJson, type SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { cleanNotes, type Interaction, NOTES_MAX, toPlainText } from "../../domain/review.ts";
import type { ReviewBody } from "../../domain/review-dto.ts";
import { type SavedReview, savedReview } from "../../domain/review-dto.ts";
import { tooLongMessage } from "./review-texts.ts";

/** A review as its author filled it in. */
export interface NewReview {
  showId: string;
  userId: string;
  interaction: Interaction;
  notes: string;
}

/**
 * Sends a review, after any earlier one of the same show that is in flight, so that the later one wins.
 * Retrying is safe.
 * @throws when it may not be stored
 */
export type SubmitReview = (review: NewReview) => Promise<SavedReview>;

/** Creates the function that sends reviews. */
export function createSubmitReview(send: SignedInRequest): SubmitReview {
  /** The last review of each show. */
  const inFlight = new Map<string, Promise<SavedReview>>();

  async function submit(review: ReviewBody): Promise<SavedReview> {
    const saved = savedReview.parse(await send(review.user_id, "/api/reviews", asJson("PUT", review)));
    if (saved.review.show_id !== review.show_id) throw new Error("The response is about another show");
    return saved;
  }

  return async (review) => {
    const body = bodyOf(review);
    if ((body.notes?.length ?? 0) > NOTES_MAX) throw new Error(tooLongMessage);
    const task = () => submit(body);
    const submission = inFlight.get(review.showId)?.then(task, task) ?? task();
    inFlight.set(review.showId, submission);
    return submission;
  };
}

/** Cleans notes as the server does, and removes characters of pasted text that the API refuses. */
function bodyOf({ showId, userId, interaction, notes }: NewReview): ReviewBody {
  const clean = cleanNotes(toPlainText(notes));
  return { show_id: showId, user_id: userId, audience_interaction: interaction, notes: clean };
}
