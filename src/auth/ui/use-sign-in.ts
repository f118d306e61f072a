import { useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import type { Provider } from "../session.ts";
import {
  insecureContext,
  nothingStored,
  providerNotSetUp,
  type SignInPlace,
  signInFailed,
} from "./auth-texts.ts";
import { detectInAppBrowser } from "./in-app-browser.ts";
import { rememberSignInPlace } from "./return-client.ts";
import { useAccounts } from "./session-provider.tsx";
import { canStore } from "./storage-check.ts";

/** How long the navigation to a provider may take before the button is enabled again, in ms. */
const NAVIGATION_TIMEOUT = 10_000;

/**
 * Returns a function that starts a sign-in with a provider. Its promise resolves when the page is in use
 * again: the sign-in failed, or the browser came back or stayed. Failures are shown as toasts.
 */
export function useSignIn(place: SignInPlace): (provider: Provider) => Promise<void> {
  const { client, providers } = useAccounts();
  const showToast = useToast();
  const navigate = useNavigate();

  return async (provider) => {
    if (place === "header" && detectInAppBrowser(navigator.userAgent)) return navigate("/auth");
    if (!providers.includes(provider)) {
      showToast(providerNotSetUp(provider));
      if (place === "header" && providers.length > 0) await navigate("/auth");
      return;
    }
    if (!window.isSecureContext) return showToast(insecureContext);
    if (!canStore(() => window.localStorage)) return showToast(nothingStored);
    try {
      rememberSignInPlace(place);
      // docs/product.md §6.8: the origin from the header, the origin plus a slash from the sign-in page.
      await client.signIn(
        provider,
        place === "header" ? window.location.origin : `${window.location.origin}/`,
      );
    } catch {
      return showToast(signInFailed(place, { errorCode: null, message: null }));
    }
    await pageShownAgain();
  };
}

/** Resolves when the page is restored from the back/forward cache, or after a timeout. */
function pageShownAgain(): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("pageshow", () => resolve(), { once: true });
    setTimeout(resolve, NAVIGATION_TIMEOUT);
  });
}
