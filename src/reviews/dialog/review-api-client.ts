import { type ApiRequest, hasErrorCode, isApiRequestError } from "../../browser/api-request-client.ts";
import { limitEndOf } from "../../browser/limit-end.ts";
import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import { createSerialQueue } from "../../browser/serial-queue.ts";
import {
  type ReviewerSession,
  type SignedInRequest,
  SignedOutError,
} from "../../browser/signed-in-request.ts";
import { withTimeLimit } from "../../browser/time-limit-client.ts";
import { cleanNotes, type Interaction, NOTES_MAX, toPlainText } from "../../domain/review.ts";
import type { ReviewBody } from "../../domain/review-body.ts";
import { type OwnReview, ownReviews, type SavedReview, savedReview } from "../../domain/review-dto.ts";

interface ReviewApiOptions {
  request: ApiRequest;
  send: SignedInRequest;
  session: ReviewerSession;
}

/** A review as its author filled it in. */
export interface NewReview {
  showId: string;
  userId: string;
  interaction: Interaction;
  notes: string;
}

/** The outcome of sending a review. */
export type Outcome =
  | { kind: "saved"; saved: SavedReview }
  /** `end` says when the next review may be sent, in words. */
  | { kind: "limited"; by: "user" | "network"; end: string }
  | { kind: "signed-out" | "too-long" | "failed" };

/** The requests that the page makes about the signed-in user's reviews. */
export interface ReviewApi {
  /**
   * Sends a review, after any earlier one of the same show that is in flight, so that the later one wins.
   * Failures are outcomes. Retrying is safe.
   * @throws a programming error
   */
  submit(review: NewReview): Promise<Outcome>;
  /**
   * The user's own reviews, by show; empty without a session.
   * @throws when they cannot be loaded
   */
  loadOwnReviews(signal: AbortSignal): Promise<Map<string, OwnReview>>;
}

/** Creates the API client. */
export function createReviewApi({ request, send, session }: ReviewApiOptions): ReviewApi {
  const enqueue = createSerialQueue();

  function sendReview(review: ReviewBody): Promise<unknown> {
    return send(review.user_id, "/api/reviews", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(review),
    });
  }

  async function submit(review: ReviewBody): Promise<Outcome> {
    try {
      return { kind: "saved", saved: decodeSaved(await sendReview(review), review.show_id) };
    } catch (error) {
      if (error instanceof SignedOutError) return { kind: "signed-out" };
      const end = limitEndOf(error);
      if (end !== null) return { kind: "limited", by: isByNetwork(error) ? "network" : "user", end };
      rethrowProgrammingError(error);
      return { kind: isTooLong(error) ? "too-long" : "failed" };
    }
  }

  async function loadPagesOfOwn(token: string, signal: AbortSignal): Promise<Map<string, OwnReview>> {
    const byShow = new Map<string, OwnReview>();
    let path = "/api/reviews/mine";
    for (;;) {
      const { reviews, next_page } = ownReviews.parse(
        await request(path, { signal: withTimeLimit(signal), token }),
      );
      for (const review of reviews) byShow.set(review.show_id, review);
      if (!next_page) return byShow;
      path = `/api/reviews/mine?page=${next_page}`;
    }
  }

  return {
    async submit(review) {
      const body = bodyOf(review);
      if ((body.notes?.length ?? 0) > NOTES_MAX) return { kind: "too-long" };
      return enqueue(review.showId, () => submit(body));
    },
    async loadOwnReviews(signal) {
      try {
        const token = await session.accessToken();
        if (token === null) return new Map();
        return await loadPagesOfOwn(token, signal);
      } catch (error) {
        if (!hasErrorCode(error, "authentication_required")) throw error;
        // A refresh tells whether the session is over, and why. With a new token, the caller tries again.
        if ((await session.renewToken()) !== null) throw error;
        return new Map();
      }
    },
  };
}

/** Decodes the response to a review of the show. @throws when it is anything else */
function decodeSaved(body: unknown, showId: string): SavedReview {
  const saved = savedReview.parse(body);
  if (saved.review.show_id !== showId) throw new Error("The response is about another show");
  return saved;
}

/** Cleans notes as the server does, and removes characters of pasted text that the API refuses. */
function bodyOf({ showId, userId, interaction, notes }: NewReview): ReviewBody {
  const clean = cleanNotes(toPlainText(notes));
  return { show_id: showId, user_id: userId, audience_interaction: interaction, notes: clean };
}

/** By the message: both limits have one code. */
function isByNetwork(error: unknown): boolean {
  return isApiRequestError(error) && /your network/.test(error.message);
}

/** By the message and not by the code, so that any server's word for it counts (docs/product.md §5.9). */
function isTooLong(error: unknown): boolean {
  return isApiRequestError(error) && /notes cannot exceed 1000 characters/i.test(error.message);
}
