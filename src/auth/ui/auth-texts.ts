import type { Toast } from "../../ui/toast-store.ts";
import { signInUnavailable, tooManySignIns } from "../session.ts";

/** Where a sign-in was started. A failure is reported in the same place (docs/product.md §6.3). */
export type SignInPlace = "header" | "auth-page";

export const signedOut: Toast = { title: "Signed out", description: "You've been successfully signed out." };

export const signOutFailed: Toast = {
  title: "Sign out failed",
  description: "Please try again.",
  destructive: true,
};

/** Why a sign-in failed. */
export interface SignInFailure {
  errorCode: unknown;
  message: string | null;
}

const unknownFailure: SignInFailure = { errorCode: null, message: null };

/** The toast for a failed sign-in. Only the sign-in page shows the message (docs/product.md §6.3). */
export function signInFailed(
  place: SignInPlace,
  { errorCode, message }: SignInFailure = unknownFailure,
): Toast {
  if (errorCode === "bad_oauth_state" || errorCode === "flow_state_expired") return signInExpired[place];
  if (place === "header")
    return { title: "Sign in failed", description: "Please try again.", destructive: true };
  return errorToast(message ?? "An unexpected error occurred");
}

/** The message of a failure that the server tells without knowing whose sign-in it is. */
export function anonymousMessage(errorCode: string | null): string | null {
  if (errorCode === "over_request_rate_limit") return tooManySignIns;
  const isUnavailable = errorCode === "unexpected_failure" || errorCode === "unavailable";
  return isUnavailable ? signInUnavailable("your provider") : null;
}

const signInExpired: Record<SignInPlace, Toast> = {
  header: {
    title: "Sign in failed",
    description: "It took too long. Please press Sign In again.",
    destructive: true,
  },
  "auth-page": errorToast("Signing in took too long. Please press the button again."),
};

export function errorToast(description: string): Toast {
  return { title: "Error", description, destructive: true };
}
