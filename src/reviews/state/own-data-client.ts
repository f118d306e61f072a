import * as z from "zod/mini";
import { errorCodeOf } from "../../browser/requests/api-request-client.ts";
import { asJson, type SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { objectionResponse } from "../../domain/report.ts";
import type { Tallies } from "../../domain/review.ts";
import { type OwnReview, ownReviews, type Review, removedReview } from "../../domain/review-dto.ts";

/** The auth protocol sends text error codes only to clients that ask for this version. */
const authHeaders = { "Content-Type": "application/json", "X-Supabase-Api-Version": "2024-01-01" };

const counted = z.object({ sessions: z.number() });

const exported = z.object({ user: z.object({ id: z.string() }) });

/** Returns the show's new tallies. Retrying is safe. */
export async function removeReview(send: SignedInRequest, review: Review): Promise<Tallies> {
  const path = `/api/reviews?${new URLSearchParams({ show_id: review.show_id })}`;
  return removedReview.parse(await send(review.user_id, path, { method: "DELETE" })).reviews;
}

export async function exportData(send: SignedInRequest, userId: string): Promise<unknown> {
  const data = await send(userId, "/auth/v1/user/export", { headers: authHeaders });
  // A captive portal's page is not the data.
  if (exported.parse(data).user.id !== userId) throw new Error("The response is about another user");
  return data;
}

export async function countSessions(send: SignedInRequest, userId: string): Promise<number> {
  return counted.parse(await send(userId, "/auth/v1/user/sessions", { headers: authHeaders })).sessions;
}

/** `settled`: an objection was sent before, or is not needed any more. */
export async function objectTo(send: SignedInRequest, review: Review, text: string) {
  const body = { show_id: review.show_id, text };
  try {
    const path = "/api/reviews/objections";
    objectionResponse.parse(await send(review.user_id, path, asJson("POST", body)));
    return "objected";
  } catch (error) {
    if (["already_objected", "nothing_hidden"].includes(errorCodeOf(error))) return "settled";
    throw error;
  }
}

export async function deleteAccount(send: SignedInRequest, userId: string, email: string): Promise<true> {
  const init = { method: "DELETE", headers: authHeaders, body: JSON.stringify({ email }) };
  // Success has an empty response. A captive portal's page is a failure.
  if ((await send(userId, "/auth/v1/user", init)) !== null) throw new Error("Not the server's response");
  return true;
}

/** The user's own reviews, by show. @throws when they cannot be loaded */
export async function loadOwnReviews(send: SignedInRequest, userId: string, signal: AbortSignal) {
  const byShow = new Map<string, OwnReview>();
  let path = "/api/reviews/mine";
  for (;;) {
    const { reviews, next_page } = ownReviews.parse(await send(userId, path, { signal }));
    for (const review of reviews) byShow.set(review.show_id, review);
    if (!next_page) return byShow;
    path = `/api/reviews/mine?page=${next_page}`;
  }
}
