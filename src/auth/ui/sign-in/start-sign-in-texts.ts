import { type Provider, providerNames } from "../../../domain/account.ts";
import { errorToast, type Toast } from "../../../ui/toasts.ts";

// The toasts of sign-ins that cannot start (docs/product.md §6.3).

export function providerNotSetUp(provider: Provider): Toast {
  return errorToast(`Signing in with ${providerNames[provider]} is not set up on this site.`);
}

/** PKCE needs Web Crypto, which browsers offer in secure contexts only. */
export const insecureContext: Toast = errorToast(
  "Signing in needs a secure connection: please open this site with https.",
);

/** Storage may be blocked, missing or full. A sign-in stores its verifier there, then the session. */
export const nothingStored: Toast = errorToast(
  "This browser does not let the site keep anything, and signing in needs that. Please allow cookies and site data.",
);
