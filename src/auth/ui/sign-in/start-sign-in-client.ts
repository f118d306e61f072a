import type { NavigateFunction } from "react-router";
import { canStore } from "../../../browser/can-store.ts";
import { rethrowProgrammingError } from "../../../browser/programming-error.ts";
import { rememberReturnTo } from "../../../browser/return-to-client.ts";
import type { Provider } from "../../../domain/account.ts";
import type { Toast } from "../../../ui/toasts.ts";
import { type SignInPlace, signInFailed } from "../auth-texts.ts";
import type { SessionClient } from "../session/session-client.ts";
import { detectInAppBrowser } from "./in-app-browser.ts";
import { keepSignIn } from "./oauth-callback.ts";
import { insecureContext, nothingStored, providerNotSetUp } from "./start-sign-in-texts.ts";

/** In ms: then the button is enabled again, although the browser may still navigate. */
const NAVIGATION_TIMEOUT = 10_000;

export interface StartOptions {
  place: SignInPlace;
  client: SessionClient;
  providers: readonly Provider[];
  showToast: (toast: Toast) => void;
  navigate: NavigateFunction;
  /** The provider must authenticate the user again, before an account is deleted. */
  isProof?: boolean | undefined;
}

/** Resolves when the page can be used again: the sign-in failed, or the browser stayed or came back. */
export async function startSignIn(
  provider: Provider,
  { place, client, providers, showToast, navigate, isProof }: StartOptions,
): Promise<void> {
  if (place === "header") rememberReturnTo();
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
    const redirectTo = place === "header" ? origin : `${origin}/`;
    const { url, flowId: attemptId } = await client.beginSignIn(provider, redirectTo, isProof);
    keepSignIn({ place, attemptId });
    // Back leads from the provider to the list, and not to the sign-in page.
    if (place === "header") window.location.assign(url);
    else window.location.replace(url);
  } catch (error) {
    rethrowProgrammingError(error);
    return showToast(signInFailed(place));
  }
  await pageShownAgain();
}

function pageShownAgain(): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("pageshow", () => resolve(), { once: true });
    setTimeout(resolve, NAVIGATION_TIMEOUT);
  });
}
