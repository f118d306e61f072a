import { errorToast, type Toast } from "../../ui/toasts.ts";

export const signInRequired: Toast = {
  title: "Sign in required",
  description: "Please sign in to review shows.",
  action: { label: "Sign in", href: "/auth" },
};

export const pressTopic = "press";

export const dialogNotLoaded = errorToast("This could not be loaded. Please try again.", pressTopic);
