import * as z from "zod/mini";
import { hasErrorCode } from "../../browser/api-request-client.ts";
import { limitEndOf } from "../../browser/limit-end.ts";
import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import { type SignedInRequest, SignedOutError } from "../../browser/signed-in-request.ts";
import { objectionResponse } from "../../domain/objection.ts";
import { type Tallies, toPlainText } from "../../domain/review.ts";
import { removedReview } from "../../domain/review-dto.ts";

/** Why a request about one's own data failed. `limitEnd` says when a limit ends, in words. */
export type OwnDataFailure =
  | "signed-out"
  | "reauthenticate"
  | "wrong-email"
  | "failed"
  | { limitEnd: string };

/** The requests about a user's own data. Failures are outcomes; what they throw is a programming error. Retrying is safe. */
export interface OwnDataApi {
  /** Deletes the user's review of a show. Returns the show's new tallies. */
  removeReview(showId: string): Promise<Tallies | OwnDataFailure>;
  /** Returns all that is stored of the user. */
  exportData(): Promise<{ data: unknown } | OwnDataFailure>;
  /** Objects to the hiding of the user's notes of a show; `settled` if that is done, or needed no more. */
  object(showId: string, text: string): Promise<"objected" | "settled" | OwnDataFailure>;
  deleteAccount(email: string): Promise<"deleted" | OwnDataFailure>;
}

const jsonHeaders = { "Content-Type": "application/json" };

/** The sign-in protocol sends error codes as text only to who asks for this version. */
const authHeaders = { ...jsonHeaders, "X-Supabase-Api-Version": "2024-01-01" };

const exported = z.object({ user: z.object({ id: z.string() }) });

export function createOwnDataApi(send: SignedInRequest, userId: string): OwnDataApi {
  async function outcomeOf<T>(task: () => Promise<T>): Promise<T | OwnDataFailure> {
    try {
      return await task();
    } catch (error) {
      rethrowProgrammingError(error);
      if (error instanceof SignedOutError) return "signed-out";
      if (hasErrorCode(error, "reauthentication_needed")) return "reauthenticate";
      if (hasErrorCode(error, "wrong_email")) return "wrong-email";
      const limitEnd = limitEndOf(error);
      return limitEnd === null ? "failed" : { limitEnd };
    }
  }

  return {
    removeReview: (showId) =>
      outcomeOf(async () => {
        const path = `/api/reviews?${new URLSearchParams({ show_id: showId })}`;
        return removedReview.parse(await send(userId, path, { method: "DELETE" })).reviews;
      }),
    exportData: () =>
      outcomeOf(async () => {
        const data = await send(userId, "/auth/v1/user/export", { headers: authHeaders });
        // A captive portal's page is not the data.
        if (exported.parse(data).user.id !== userId) throw new Error("The response is about another user");
        return { data };
      }),
    object: (showId, text) =>
      outcomeOf(async () => {
        try {
          const body = JSON.stringify({ show_id: showId, text: toPlainText(text) });
          objectionResponse.parse(
            await send(userId, "/api/reviews/objections", { method: "POST", headers: jsonHeaders, body }),
          );
          return "objected" as const;
        } catch (error) {
          if (hasErrorCode(error, "already_objected") || hasErrorCode(error, "nothing_hidden"))
            return "settled" as const;
          throw error;
        }
      }),
    deleteAccount: (email) =>
      outcomeOf(async () => {
        const init = { method: "DELETE", headers: authHeaders, body: JSON.stringify({ email }) };
        // Only an empty response says so: a captive portal's page is a failure.
        if ((await send(userId, "/auth/v1/user", init)) !== null)
          throw new Error("Not the server's response");
        return "deleted" as const;
      }),
  };
}
