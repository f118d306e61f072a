import { ApiRequestError } from "../../browser/requests/api-request-client.ts";
import { asJson, type SignedInRequest, SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { type Interaction, NOTES_MAX } from "../../domain/review.ts";
import { type ReviewBody, type SavedReview, savedReview } from "../../domain/review-dto.ts";
import { cleanText } from "../../domain/text.ts";
import { tooLongMessage } from "./review-texts.ts";

export interface NewReview {
  showId: string;
  userId: string;
  interaction: Interaction;
  notes: string;
}

export type SubmitReview = ReturnType<typeof createSubmitReview>;

/** Cleans as the server does: the API refuses some characters. @throws if it is too long */
export function checkNotes(notes: string): string | null {
  const clean = cleanText(notes);
  if ((clean?.length ?? 0) > NOTES_MAX) throw new Error(tooLongMessage);
  return clean;
}

/** Waits for an earlier review of the same show, so that the later one wins. Retrying is safe. */
export function createSubmitReview(send: SignedInRequest) {
  const inFlight = new Map<string, Promise<SavedReview>>();

  async function submit(review: ReviewBody): Promise<SavedReview> {
    const saved = savedReview.parse(await send(review.user_id, "/api/reviews", asJson("PUT", review)));
    if (saved.review.show_id !== review.show_id) throw new Error("The response is about another show");
    return saved;
  }

  return async ({ showId, userId, interaction, notes }: NewReview): Promise<SavedReview> => {
    const clean = checkNotes(notes);
    const review = { show_id: showId, user_id: userId, audience_interaction: interaction, notes: clean };
    const task = () => submit(review);
    const submission = inFlight.get(showId)?.then(task, task) ?? task();
    inFlight.set(showId, submission);
    return submission;
  };
}

/** What happens to a review that was not sent (docs/product.md §14.7). A captive portal counts as no answer. */
export function failureKindOf(error: unknown): "unanswered" | "signed-out" | "limited" | "refused" {
  if (error instanceof SignedOutError) return "signed-out";
  if (String(error).includes(tooLongMessage)) return "refused";
  if (!(error instanceof ApiRequestError)) return "unanswered";
  if (error.status === 429) return "limited";
  if (error.code === undefined || error.status >= 500) return "unanswered";
  return error.status === 401 ? "signed-out" : "refused";
}
