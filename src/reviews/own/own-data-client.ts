import * as z from "zod/mini";
import { hasErrorCode } from "../../browser/requests/api-request-client.ts";
import { asJson, type SignedInRequest } from "../../browser/requests/signed-in-request.ts";
import { objectionResponse } from "../../domain/report.ts";
import { type Tallies, toPlainText } from "../../domain/review.ts";
import { type OwnReview, ownReviews, removedReview } from "../../domain/review-dto.ts";

/** The requests about a user's own data. Retrying is safe. */
export type OwnDataApi = ReturnType<typeof createOwnDataApi>;

/** The sign-in protocol sends error codes as text only to who asks for this version. */
const authHeaders = { "Content-Type": "application/json", "X-Supabase-Api-Version": "2024-01-01" };

const exported = z.object({ user: z.object({ id: z.string() }) });

export function createOwnDataApi(send: SignedInRequest, userId: string) {
  return {
    /** Deletes the user's review of a show. Returns the show's new tallies. */
    async removeReview(showId: string): Promise<Tallies> {
      const path = `/api/reviews?${new URLSearchParams({ show_id: showId })}`;
      return removedReview.parse(await send(userId, path, { method: "DELETE" })).reviews;
    },

    /** Returns all that is stored of the user. */
    async exportData(): Promise<unknown> {
      const data = await send(userId, "/auth/v1/user/export", { headers: authHeaders });
      // A captive portal's page is not the data.
      if (exported.parse(data).user.id !== userId) throw new Error("The response is about another user");
      return data;
    },

    /** Objects to the hiding of the user's notes of a show; `settled` if that is done, or needed no more. */
    async object(showId: string, text: string): Promise<"objected" | "settled"> {
      const body = { show_id: showId, text: toPlainText(text) };
      try {
        objectionResponse.parse(await send(userId, "/api/reviews/objections", asJson("POST", body)));
        return "objected";
      } catch (error) {
        if (hasErrorCode(error, "already_objected") || hasErrorCode(error, "nothing_hidden"))
          return "settled";
        throw error;
      }
    },

    async deleteAccount(email: string): Promise<true> {
      const init = { method: "DELETE", headers: authHeaders, body: JSON.stringify({ email }) };
      // Only an empty response says so: a captive portal's page is a failure.
      if ((await send(userId, "/auth/v1/user", init)) !== null) throw new Error("Not the server's response");
      return true;
    },
  };
}

/** The user's own reviews, by show. @throws when they cannot be loaded */
export async function loadOwnReviews(
  send: SignedInRequest,
  userId: string,
  signal: AbortSignal,
): Promise<Map<string, OwnReview>> {
  const byShow = new Map<string, OwnReview>();
  let path = "/api/reviews/mine";
  for (;;) {
    const { reviews, next_page } = ownReviews.parse(await send(userId, path, { signal }));
    for (const review of reviews) byShow.set(review.show_id, review);
    if (!next_page) return byShow;
    path = `/api/reviews/mine?page=${next_page}`;
  }
}
