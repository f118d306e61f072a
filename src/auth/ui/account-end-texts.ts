import { errorToast, type Toast } from "../../ui/toasts.ts";
import { type SignInPlace, signInError } from "./auth-texts.ts";

export type AccountEnd = "banned" | "deleted";

export function bannedSignIn(place: SignInPlace, operatorEmail: string | null): Toast {
  return writeTo(operatorEmail, signInError(place, "This account may not sign in here any more."));
}

/** For an open page whose account has ended (docs/product.md §6.16). */
export function accountEnded(end: AccountEnd, operatorEmail: string | null): Toast {
  if (end === "deleted") {
    const toast = errorToast("This account was deleted, and its reviews with it.");
    return { ...toast, action: { label: "Sign in", href: "/auth" } };
  }
  return writeTo(operatorEmail, errorToast("This account was banned: it may not sign in here any more."));
}

function writeTo(email: string | null, toast: Toast): Toast {
  if (email === null) return toast;
  const description = `${toast.description} If you think that this is a mistake, write to:`;
  return { ...toast, description, action: { label: email, href: `mailto:${email}` } };
}
