import { ApiRequestError } from "../../browser/requests/api-request-client.ts";
import { SignedOutError } from "../../browser/requests/signed-in-request.ts";
import { tooLongMessage } from "../dialog/review-texts.ts";

export type FailureKind = "unanswered" | "signed-out" | "limited" | "refused";

/** What comes of a review that was not sent (docs/product.md §14.7). A captive portal's page is no answer. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof SignedOutError) return "signed-out";
  if (String(error).includes(tooLongMessage)) return "refused";
  if (!(error instanceof ApiRequestError)) return "unanswered";
  if (error.status === 429) return "limited";
  if (error.code === undefined || error.status >= 500) return "unanswered";
  return error.status === 401 ? "signed-out" : "refused";
}

/** In ms since 1970; undefined if the server does not say when. */
export function limitEndTime(error: unknown): number | undefined {
  const value = error instanceof ApiRequestError ? error.headers.get("Retry-After") : null;
  // A proxy may send a date.
  const end = /^\d+$/.test(value ?? "") ? Date.now() + Number(value) * 1_000 : Date.parse(value ?? "");
  return Number.isNaN(end) ? undefined : end;
}
