import type { Toast } from "../../ui/toast-store.ts";
import { type Provider, providerNames } from "../session.ts";

/** Where somebody pressed the button that starts a sign-in: what fails is told in the same place. */
export type SignInPlace = "header" | "auth-page";

export const signedOut: Toast = { title: "Signed out", description: "You've been successfully signed out." };

export const signOutFailed: Toast = {
  title: "Sign out failed",
  description: "Please try again.",
  destructive: true,
};

/** What failed, with the provider's message where there is one and it is asked for (docs/product.md §6.3). */
export function signInFailed(place: SignInPlace, message: string | null): Toast {
  if (place === "header") return { title: "Sign in failed", description: "Please try again.", destructive: true };
  return failure(message ?? "An unexpected error occurred");
}

export function providerNotSetUp(provider: Provider): Toast {
  return failure(`Signing in with ${providerNames[provider]} is not set up on this site.`);
}

/** Browsers keep from pages that came unprotected what signing in needs. */
export const insecureContext: Toast = failure("Signing in needs a secure connection: please open this site with https.");

function failure(description: string): Toast {
  return { title: "Error", description, destructive: true };
}
