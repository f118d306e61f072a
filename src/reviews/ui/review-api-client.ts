import { type ApiError, apiError } from "../../domain/api-error.ts";
import { cleanNotes, type Interaction, NOTES_MAX, type Tallies, toPlainText } from "../../domain/review.ts";
import type { ReviewBody } from "../../domain/review-body.ts";
import { notesByShow, ownReviews, type ShowNotes, savedReview } from "../../domain/review-dto.ts";
import { createSerialQueue } from "./serial-queue.ts";

/** The texts of a show's newest notes, by interaction, newest first. */
export type NoteTexts = Record<Interaction, string[]>;

/** The part of the session that reviewing needs. */
export interface ReviewerSession {
  /** The current session. Another tab may have changed it. */
  current(): { status: string; user?: { id: string } };
  accessToken(): Promise<string | null>;
  renewToken(): Promise<string | null>;
}

interface ReviewApiOptions {
  fetch: typeof fetch;
  clientKey: () => string;
  session: ReviewerSession;
  /** The time limit for sending a review, in ms, token included. */
  timeout?: number;
}

/** A review as its author filled it in. */
export interface NewReview {
  showId: string;
  userId: string;
  interaction: Interaction;
  notes: string;
}

/** The outcome of sending a review. */
export type Outcome = { kind: "saved"; tallies: Tallies } | { kind: "signed-out" | "too-long" | "failed" };

/** The requests that the page makes about reviews. */
export interface ReviewApi {
  /**
   * Sends a review, after any earlier one of the same show that is in flight, so that the later one wins.
   * Never rejects: failures are outcomes. Retrying is safe.
   */
  submit(review: NewReview): Promise<Outcome>;
  /** The newest notes of 1 to 20 shows. @throws when they cannot be loaded */
  loadNotes(showIds: string[], signal: AbortSignal): Promise<Map<string, NoteTexts>>;
  /**
   * The ids of the shows that the user has reviewed; empty without a session.
   * @throws when they cannot be loaded
   */
  loadReviewedShows(signal: AbortSignal): Promise<string[]>;
}

/** The default time limit, in ms: longer than any working network needs. */
const SEND_TIMEOUT = 30_000;

/** Creates the API client. An access token that is refused is renewed once (docs/product.md §5.12). */
export function createReviewApi({ fetch, clientKey, session, timeout = SEND_TIMEOUT }: ReviewApiOptions): ReviewApi {
  const enqueue = createSerialQueue();

  async function request(path: string, { token, ...init }: RequestInit & { token?: string } = {}): Promise<unknown> {
    const headers = new Headers(init.headers);
    headers.set("apikey", clientKey());
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(path, { ...init, headers });
    if (!response.ok) throw await toApiRequestError(response);
    return response.json();
  }

  function send(review: NewReview, token: string, signal: AbortSignal): Promise<unknown> {
    return request("/api/reviews", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(bodyOf(review)),
      signal,
      token,
    });
  }

  async function sendSignedIn(review: NewReview, signal: AbortSignal): Promise<unknown> {
    try {
      return await send(review, await tokenOf(review.userId, session.accessToken), signal);
    } catch (error) {
      // The browser's clock may be wrong, or the session was changed elsewhere: only the server knows.
      if (!hasErrorCode(error, "authentication_required")) throw error;
      return send(review, await tokenOf(review.userId, session.renewToken), signal);
    }
  }

  /** @throws SignedOutError when the session has ended, or is another user's */
  async function tokenOf(userId: string, getToken: () => Promise<string | null>): Promise<string> {
    const token = await getToken();
    if (token === null || session.current().user?.id !== userId) throw new SignedOutError();
    return token;
  }

  /** Sends within the time limit, which covers the token, too: it may never come. Nothing is sent after it. */
  async function sendWithTimeout(review: NewReview): Promise<unknown> {
    const abort = new AbortController();
    const timedOut = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      abort.abort();
      timedOut.reject(new Error("The review got no response in time"));
    }, timeout);
    return Promise.race([sendSignedIn(review, abort.signal), timedOut.promise]).finally(() => clearTimeout(timer));
  }

  async function submit(review: NewReview): Promise<Outcome> {
    try {
      return { kind: "saved", tallies: decodeTallies(await sendWithTimeout(review), review.showId) };
    } catch (error) {
      if (error instanceof SignedOutError || hasErrorCode(error, "authentication_required"))
        return { kind: "signed-out" };
      return { kind: isTooLong(error) ? "too-long" : "failed" };
    }
  }

  return {
    async submit(review) {
      if ((toAcceptedNotes(review.notes)?.length ?? 0) > NOTES_MAX) return { kind: "too-long" };
      return enqueue(review.showId, () => submit(review));
    },
    async loadNotes(showIds, signal) {
      const params = new URLSearchParams(showIds.map((id) => ["show_id", id]));
      return decodeNotes(await request(`/api/reviews?${params}`, { signal }));
    },
    async loadReviewedShows(signal) {
      try {
        const token = await session.accessToken();
        if (token === null) return [];
        const { reviews } = ownReviews.parse(await request("/api/reviews/mine", { signal, token }));
        return reviews.map(({ show_id }) => show_id);
      } catch (error) {
        if (hasErrorCode(error, "authentication_required")) return [];
        throw error;
      }
    },
  };
}

/** The show's tallies in the response to a review of it. @throws when it is anything else */
function decodeTallies(body: unknown, showId: string): Tallies {
  const { review, reviews } = savedReview.parse(body);
  if (review.show_id !== showId) throw new Error("The response is about another show");
  return reviews;
}

/** The notes in a response to `GET /api/reviews`, by show. @throws when it is anything else */
function decodeNotes(body: unknown): Map<string, NoteTexts> {
  const { reviews } = notesByShow.parse(body);
  return new Map(Object.entries(reviews).map(([id, show]) => [id, textsOf(show)]));
}

function textsOf({ no, very_little, yes }: ShowNotes): NoteTexts {
  const texts = ({ notes }: ShowNotes[Interaction]) => notes.map((note) => note.notes);
  return { no: texts(no), very_little: texts(very_little), yes: texts(yes) };
}

function bodyOf({ showId, userId, interaction, notes }: NewReview): ReviewBody {
  return { show_id: showId, user_id: userId, audience_interaction: interaction, notes: toAcceptedNotes(notes) };
}

/** Cleans notes as the server does, and removes characters of pasted text that the API refuses. */
function toAcceptedNotes(notes: string): string | null {
  return cleanNotes(toPlainText(notes));
}

class SignedOutError extends Error {}

/** An error response. `code` is undefined when the API did not send it, but a proxy or a captive portal. */
class ApiRequestError extends Error {
  override readonly name = "ApiRequestError";
  readonly code: string | undefined;

  constructor(status: number, error: ApiError | undefined) {
    super(error?.message ?? `The server responded with ${status}`);
    this.code = error?.code;
  }
}

async function toApiRequestError(response: Response): Promise<ApiRequestError> {
  const body = await response.json().catch(() => null);
  return new ApiRequestError(response.status, apiError.safeParse(body).data);
}

function hasErrorCode(error: unknown, code: string): boolean {
  return error instanceof ApiRequestError && error.code === code;
}

function isTooLong(error: unknown): boolean {
  return error instanceof ApiRequestError && /notes cannot exceed 1000 characters/i.test(error.message);
}
