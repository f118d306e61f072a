import { ApiRequestError } from "../../browser/requests/api-request-client.ts";
import { SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { tooLongMessage } from "../dialog/review-texts.ts";

export type FailureKind = "unanswered" | "signed-out" | "limited" | "refused";

/** What happens to a review that was not sent (docs/product.md §14.7). A captive portal counts as no answer. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof SignedOutError) return "signed-out";
  if (String(error).includes(tooLongMessage)) return "refused";
  if (!(error instanceof ApiRequestError)) return "unanswered";
  if (error.status === 429) return "limited";
  if (error.code === undefined || error.status >= 500) return "unanswered";
  return error.status === 401 ? "signed-out" : "refused";
}
