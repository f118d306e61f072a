import type { Toast } from "../../../ui/toasts.ts";
import { signInUnavailable, tooManySignIns } from "../../failure-messages.ts";
import { bannedSignIn } from "../account-end-texts.ts";
import { type SignInPlace, signInError, signInFailed } from "../auth-texts.ts";

export interface SignInFailure {
  errorCode: unknown;
  message: string | null;
}

export function returnFailed(
  place: SignInPlace,
  { errorCode, message }: SignInFailure,
  operatorEmail: string | null,
): Toast {
  if (errorCode === "user_banned") return bannedSignIn(place, operatorEmail);
  if (errorCode === "reauthentication_needed" && message) return signInError(place, message);
  const isExpired = errorCode === "bad_oauth_state" || errorCode === "flow_state_expired";
  return isExpired ? signInError(place, signInExpired[place]) : signInFailed(place, message);
}

/** The message of a failure that the server tells without knowing whose sign-in it is. */
export function anonymousMessage(errorCode: string | null): string | null {
  if (errorCode === "over_request_rate_limit") return tooManySignIns;
  const isUnavailable = errorCode === "unexpected_failure" || errorCode === "unavailable";
  return isUnavailable ? signInUnavailable("your provider") : null;
}

/** The toast in a browser that a sign-in has reached without having begun there. */
export const begunElsewhere = signInError(
  "header",
  "Please finish signing in in the browser where you began.",
);

const signInExpired: Record<SignInPlace, string> = {
  header: "It took too long. Please press Sign In again.",
  "auth-page": "Signing in took too long. Please press the button again.",
};
