import { errorToast, type Toast } from "../../ui/toasts.ts";

/** Where a sign-in was started. A failure is reported in the same place (docs/product.md §6.3). */
export type SignInPlace = "header" | "auth-page";

const signOutTopic = "sign-out";

export const signedOut: Toast = {
  title: "Signed out",
  description: "You've been successfully signed out.",
  topic: signOutTopic,
};

export const signOutFailed: Toast = {
  ...errorToast("Please try again.", signOutTopic),
  title: "Sign out failed",
};

/** Only the sign-in page shows the message (docs/product.md §6.3). */
export function signInFailed(place: SignInPlace, message: string | null = null): Toast {
  const onAuthPage = message ?? "An unexpected error occurred";
  return signInError(place, place === "header" ? "Please try again." : onAuthPage);
}

export function signInError(place: SignInPlace, description: string): Toast {
  const toast = errorToast(description);
  return place === "header" ? { ...toast, title: "Sign in failed" } : toast;
}
