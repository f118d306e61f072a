import type { Toast } from "../../ui/toast-store.ts";
import { type Provider, providerNames } from "../session.ts";

/** Where a sign-in was started. A failure is reported in the same place (docs/product.md §6.3). */
export type SignInPlace = "header" | "auth-page";

export const signedOut: Toast = { title: "Signed out", description: "You've been successfully signed out." };

export const signOutFailed: Toast = {
  title: "Sign out failed",
  description: "Please try again.",
  destructive: true,
};

/**
 * The toast for a failed sign-in, which may have expired. Only the sign-in page shows the message
 * (docs/product.md §6.3).
 */
export function signInFailed(place: SignInPlace, message: string | null, expired = false): Toast {
  if (expired) return signInExpired[place];
  if (place === "header") return { title: "Sign in failed", description: "Please try again.", destructive: true };
  return errorToast(message ?? "An unexpected error occurred");
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

function errorToast(description: string): Toast {
  return { title: "Error", description, destructive: true };
}
