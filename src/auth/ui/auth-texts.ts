import type { Toast } from "../../ui/toast-store.ts";
import { type Provider, providerNames, signInUnavailable, tooManySignIns } from "../session.ts";

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

/** The toast for a failed sign-in. Only the sign-in page shows the message (docs/product.md §6.3). */
export function signInFailed(place: SignInPlace, { errorCode, message }: SignInFailure): Toast {
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

export function providerNotSetUp(provider: Provider): Toast {
  return errorToast(`Signing in with ${providerNames[provider]} is not set up on this site.`);
}

/** PKCE needs Web Crypto, which browsers offer in secure contexts only. */
export const insecureContext: Toast = errorToast(
  "Signing in needs a secure connection: please open this site with https.",
);

/** Storage may be blocked, missing or full; a sign-in keeps its verifier there, and then the session. */
export const nothingStored: Toast = errorToast(
  "This browser does not let the site keep anything, and signing in needs that. Please allow cookies and site data.",
);

function errorToast(description: string): Toast {
  return { title: "Error", description, destructive: true };
}
