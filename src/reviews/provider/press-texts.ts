import type { Toast } from "../../ui/toast-store.ts";

/** The toast for a press of `Review This Show` without a session (docs/product.md §5.1). */
export const signInRequired: Toast = {
  title: "Sign in required",
  description: "Please sign in to review shows.",
  action: { label: "Sign in", href: "/auth" },
};

/** The topic of a press, which removes the failure of the press before it. */
export const pressTopic = "press";

/** The toast for a press when the dialog's script was lost on its way (docs/product.md §5.1). */
export const dialogNotLoaded: Toast = {
  title: "Error",
  description: "This could not be loaded. Please try again.",
  destructive: true,
  topic: pressTopic,
};
