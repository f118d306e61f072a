import type { Toast } from "../../../ui/toast-store.ts";
import { type Provider, providerNames } from "../../session.ts";
import { errorToast } from "../auth-texts.ts";

// The toasts of sign-ins that cannot start (docs/product.md §6.3).

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
