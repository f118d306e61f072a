import { type ApiError, apiError } from "../../domain/api-error.ts";
import { cleanNotes, type Interaction, NOTES_MAX, type Tallies, toPlainText } from "../../domain/review.ts";
import type { ReviewBody } from "../../domain/review-body.ts";
import { notesByShow, ownReviews, type ShowNotes, savedReview } from "../../domain/review-dto.ts";
import { createTurns } from "./serial-queue.ts";

/** The newest notes that reviews of a show hold, by answer, newest first. */
export type NoteTexts = Record<Interaction, string[]>;

/** Who writes, as far as reviewing needs to know. */
export interface ReviewerSession {
  /** Who is signed in at this moment, in this tab or by another. */
  current(): { status: string; user?: { id: string } };
  accessToken(): Promise<string | null>;
  renewToken(): Promise<string | null>;
}

interface ReviewApiOptions {
  fetch: typeof fetch;
  clientKey: () => string;
  session: ReviewerSession;
  /** How long sending may take, in ms, with all that it needs. */
  patience?: number;
}

/** A review as its writer filled it in. */
export interface NewReview {
  showId: string;
  userId: string;
  interaction: Interaction;
  notes: string;
}

/** What became of a review that was sent. */
export type Outcome = { kind: "saved"; tallies: Tallies } | { kind: "signed-out" | "too-long" | "failed" };

/** The requests that the page makes about reviews. */
export interface ReviewApi {
  /**
   * Sends a review, after one of the same show that is still on its way: the later one is to win. Whatever goes wrong is an
   * outcome; sending again is safe.
   */
  submit(review: NewReview): Promise<Outcome>;
  /** The newest notes of 1 to 20 shows. @throws when they cannot be had */
  loadNotes(showIds: string[], signal: AbortSignal): Promise<Map<string, NoteTexts>>;
  /** The shows that the signed-in user has reviewed; none where the session has ended. @throws when that cannot be known */
  loadReviewedShows(signal: AbortSignal): Promise<string[]>;
}

/** No network is so slow, in ms, but some never answer. */
const PATIENCE = 30_000;

export function createReviewApi({ fetch, clientKey, session, patience = PATIENCE }: ReviewApiOptions): ReviewApi {
  const inTurn = createTurns();

  async function ask(path: string, { token, ...init }: RequestInit & { token?: string } = {}): Promise<unknown> {
    const headers = new Headers(init.headers);
    headers.set("apikey", clientKey());
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const response = await fetch(path, { ...init, headers });
    if (!response.ok) throw await refusalOf(response);
    return response.json();
  }

  function send(review: NewReview, token: string, signal: AbortSignal): Promise<unknown> {
    return ask("/api/reviews", {
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
      // Not as the browser's clock has it, or ended elsewhere: the server knows.
      if (!isRefusal(error, "authentication_required")) throw error;
      return send(review, await tokenOf(review.userId, session.renewToken), signal);
    }
  }

  /** @throws SignedOut where nobody is signed in any more, or somebody else */
  async function tokenOf(userId: string, token: () => Promise<string | null>): Promise<string> {
    const shown = await token();
    if (shown === null || session.current().user?.id !== userId) throw new SignedOut();
    return shown;
  }

  /** Loading what signs in, and asking it for a token, may wait for ever as well; what is given up is never sent. */
  async function sendInTime(review: NewReview): Promise<unknown> {
    const abort = new AbortController();
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      abort.abort();
      tooLate.reject(new Error("The review was not answered in time"));
    }, patience);
    return Promise.race([sendSignedIn(review, abort.signal), tooLate.promise]).finally(() => clearTimeout(timer));
  }

  async function submit(review: NewReview): Promise<Outcome> {
    try {
      return { kind: "saved", tallies: decodeTallies(await sendInTime(review), review.showId) };
    } catch (error) {
      if (error instanceof SignedOut || isRefusal(error, "authentication_required")) return { kind: "signed-out" };
      return { kind: saysTooLong(error) ? "too-long" : "failed" };
    }
  }

  return {
    async submit(review) {
      if ((sendable(review.notes)?.length ?? 0) > NOTES_MAX) return { kind: "too-long" };
      return inTurn(review.showId, () => submit(review));
    },
    async loadNotes(showIds, signal) {
      const params = new URLSearchParams(showIds.map((id) => ["show_id", id]));
      return decodeNotes(await ask(`/api/reviews?${params}`, { signal }));
    },
    async loadReviewedShows(signal) {
      try {
        const token = await session.accessToken();
        if (token === null) return [];
        const { reviews } = ownReviews.parse(await ask("/api/reviews/mine", { signal, token }));
        return reviews.map(({ show_id }) => show_id);
      } catch (error) {
        if (isRefusal(error, "authentication_required")) return [];
        throw error;
      }
    },
  };
}

/** A show's tallies in the answer to a review of it. @throws when it is anything else */
function decodeTallies(answer: unknown, showId: string): Tallies {
  const { review, reviews } = savedReview.parse(answer);
  if (review.show_id !== showId) throw new Error("The answer is about another show");
  return reviews;
}

/** The notes in an answer of `GET /api/reviews`, by show. @throws when it is anything else */
function decodeNotes(answer: unknown): Map<string, NoteTexts> {
  const { reviews } = notesByShow.parse(answer);
  return new Map(Object.entries(reviews).map(([id, show]) => [id, textsOf(show)]));
}

function textsOf({ no, very_little, yes }: ShowNotes): NoteTexts {
  const texts = ({ notes }: ShowNotes[Interaction]) => notes.map((note) => note.notes);
  return { no: texts(no), very_little: texts(very_little), yes: texts(yes) };
}

function bodyOf({ showId, userId, interaction, notes }: NewReview): ReviewBody {
  return { show_id: showId, user_id: userId, audience_interaction: interaction, notes: sendable(notes) };
}

/** Notes as the server takes them. What cannot be seen and comes with pasted text, it would refuse. */
function sendable(notes: string): string | null {
  return cleanNotes(toPlainText(notes));
}

class SignedOut extends Error {}

/** An answer of the server that is an error, with its code where it is one of ours. */
class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: string | undefined;

  constructor(status: number, error: ApiError | undefined) {
    super(error?.message ?? `The server answered ${status}`);
    this.code = error?.code;
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const body = await response.json().catch(() => null);
  return new Refusal(response.status, apiError.safeParse(body).data);
}

function isRefusal(error: unknown, code: string): boolean {
  return error instanceof Refusal && error.code === code;
}

function saysTooLong(error: unknown): boolean {
  return error instanceof Refusal && /notes cannot exceed 1000 characters/i.test(error.message);
}
