import { useNavigate } from "react-router";
import { useToast } from "../../ui/toast.tsx";
import type { Provider } from "../session.ts";
import { insecureContext, providerNotSetUp, type SignInPlace, signInFailed } from "./auth-texts.ts";
import { detectInAppBrowser } from "./in-app-browser.ts";
import { rememberSignInPlace } from "./return-client.ts";
import { useAccounts } from "./session-provider.tsx";

/** How long the way to a provider may take, in ms, before the button can be pressed again. */
const LONGEST_LEAVING = 10_000;

/**
 * What starts a sign-in with a provider. Its promise lasts until the browser is not leaving any more: it has failed, was
 * stopped, or came back. Failures are told by toasts.
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
    try {
      rememberSignInPlace(place);
      // As docs/product.md §6.8 has it: the origin, or the origin plus a slash.
      await client.signIn(provider, place === "header" ? window.location.origin : `${window.location.origin}/`);
    } catch {
      return showToast(signInFailed(place, null));
    }
    await untilBack();
  };
}

/** A page that the browser kept while it was elsewhere goes on where it was, with `pageshow`. */
function untilBack(): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("pageshow", () => resolve(), { once: true });
    setTimeout(resolve, LONGEST_LEAVING);
  });
}
