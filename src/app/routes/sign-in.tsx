import { type RefObject, useEffect, useRef } from "react";
import { useNavigate, useNavigationType } from "react-router";
import { providerNames, providers } from "../../auth/session.ts";
import { InAppNotice } from "../../auth/ui/in-app-notice.tsx";
import { ProviderLogo } from "../../auth/ui/provider-logo.tsx";
import { useSession } from "../../auth/ui/session-provider.tsx";
import { useSignIn } from "../../auth/ui/use-sign-in.ts";
import { Frame } from "../../ui/page-layout.tsx";
import { useOneAtATime } from "../../ui/use-single-flight.ts";

/** The sign-in page (docs/product.md §6.2). Who is signed in has nothing to do here and goes to the list. */
export default function AuthPage() {
  const { status } = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnArrival(heading);
  useLeaveWhen(status === "signed-in");
  return (
    <Frame>
      <title>Sign in – Front Row?</title>
      <section className="welcome" data-session={status} aria-labelledby="welcome">
        <h2 ref={heading} id="welcome" tabIndex={-1}>
          Welcome
        </h2>
        <p className="welcome-lead">Sign in to review Edinburgh Fringe shows and track audience interaction</p>
        <p className="welcome-note without-scripts">Signing in needs JavaScript. Browsing does not.</p>
        <InAppNotice />
        <ProviderButtons />
        <p className="welcome-terms">By signing in, you agree to our terms of service and privacy policy</p>
      </section>
    </Frame>
  );
}

function ProviderButtons() {
  const signIn = useSignIn("auth-page");
  const [busy, run] = useOneAtATime();
  return providers.map((provider) => (
    <button
      key={provider}
      type="button"
      className="button provider"
      aria-disabled={busy || undefined}
      onClick={() => run(() => signIn(provider))}
    >
      <ProviderLogo provider={provider} />
      {`Continue with ${providerNames[provider]}`}
    </button>
  ));
}

/** Whoever came by a button of another view, which is gone, goes on from the heading. */
function useFocusOnArrival(heading: RefObject<HTMLElement | null>): void {
  const arrivedBy = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only how one came here first
  useEffect(() => {
    if (arrivedBy !== "POP") heading.current?.focus();
  }, []);
}

function useLeaveWhen(signedIn: boolean): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (signedIn) navigate("/", { replace: true });
  }, [signedIn, navigate]);
}
