import type { Toast } from "../../ui/toasts.ts";

/** Where a sign-in was started. A failure is reported in the same place (docs/product.md §6.3). */
export type SignInPlace = "header" | "auth-page";

const signOutTopic = "sign-out";

export const signedOut: Toast = {
  title: "Signed out",
  description: "You've been successfully signed out.",
  topic: signOutTopic,
};

export const signOutFailed: Toast = {
  title: "Sign out failed",
  description: "Please try again.",
  destructive: true,
  topic: signOutTopic,
};

/** Only the sign-in page shows the message (docs/product.md §6.3). */
export function signInFailed(place: SignInPlace, message: string | null = null): Toast {
  if (place === "header")
    return { title: "Sign in failed", description: "Please try again.", destructive: true };
  return errorToast(message ?? "An unexpected error occurred");
}

export function errorToast(description: string): Toast {
  return { title: "Error", description, destructive: true };
}
