import type { NavigateFunction } from "react-router";
import { rememberPage } from "../../../browser/left-page-client.ts";
import { rethrowProgrammingError } from "../../../browser/programming-error.ts";
import type { Toast } from "../../../ui/toast-store.ts";
import type { Provider } from "../../session.ts";
import { type SignInPlace, signInFailed } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { detectInAppBrowser } from "./in-app-browser.ts";
import { rememberSignIn } from "./return-client.ts";
import { insecureContext, nothingStored, providerNotSetUp } from "./start-sign-in-texts.ts";
import { canStore } from "./storage-check.ts";

/** How long the navigation to a provider may take before the button is enabled again, in ms. */
const NAVIGATION_TIMEOUT = 10_000;

export interface StartOptions {
  place: SignInPlace;
  client: SessionClient;
  /** The providers that this site has set up. */
  providers: readonly Provider[];
  showToast: (toast: Toast) => void;
  navigate: NavigateFunction;
}

/**
 * Starts a sign-in with a provider. Resolves when the page is in use again: the sign-in failed, or the
 * browser came back or stayed. Failures are shown as toasts.
 */
export async function startSignIn(
  provider: Provider,
  { place, client, providers, showToast, navigate }: StartOptions,
): Promise<void> {
  if (place === "header") rememberPage();
  if (place === "header" && detectInAppBrowser(navigator)) return navigate("/auth");
  if (!providers.includes(provider)) {
    showToast(providerNotSetUp(provider));
    if (place === "header" && providers.length > 0) await navigate("/auth");
    return;
  }
  if (!window.isSecureContext) return showToast(insecureContext);
  if (!canStore(() => window.localStorage)) return showToast(nothingStored);
  try {
    // docs/product.md §6.8: the origin from the header, the origin plus a slash from the sign-in page.
    const { origin } = window.location;
    const { url, flowId } = await client.beginSignIn(provider, place === "header" ? origin : `${origin}/`);
    rememberSignIn(place, flowId);
    // Back leads from the provider to the list, and not to the sign-in page.
    if (place === "header") window.location.assign(url);
    else window.location.replace(url);
  } catch (error) {
    rethrowProgrammingError(error);
    return showToast(signInFailed(place));
  }
  await pageShownAgain();
}

/** Resolves when the page is restored from the back/forward cache, or after a timeout. */
function pageShownAgain(): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("pageshow", () => resolve(), { once: true });
    setTimeout(resolve, NAVIGATION_TIMEOUT);
  });
}
