import { type RefObject, useEffect, useRef } from "react";
import { Navigate, useNavigationType } from "react-router";
import { useSession } from "../../auth/ui/session/session-provider.tsx";
import { InAppNotice } from "../../auth/ui/sign-in/in-app-notice.tsx";
import { ProviderLogo } from "../../auth/ui/sign-in/provider-logo.tsx";
import { useSignIn } from "../../auth/ui/sign-in/use-sign-in.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import { providerNames, providers } from "../../domain/account.ts";
import { PageLayout } from "../../ui/page-layout.tsx";
import { Canonical } from "../site.tsx";

export default function SignInPage() {
  const { status } = useSession();
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnArrival(heading);
  return (
    <PageLayout hasHeading>
      {status === "signed-in" && <Navigate to="/" replace />}
      <title>Sign in – Front Row?</title>
      <Canonical path="/auth" />
      <section className="welcome stack" data-session={status} aria-labelledby="welcome">
        <h1 ref={heading} id="welcome" tabIndex={-1}>
          Welcome
        </h1>
        <p className="welcome-lead">
          Sign in to review Edinburgh Fringe shows and track audience interaction
        </p>
        <p className="welcome-note callout without-scripts">
          Signing in needs JavaScript. Browsing does not.
        </p>
        <InAppNotice />
        <ProviderButtons />
        <p className="welcome-terms">
          By signing in, you agree to our <a href="/terms">terms of service</a>
          {" and "}
          <a href="/privacy">privacy policy</a>
        </p>
      </section>
    </PageLayout>
  );
}

function ProviderButtons() {
  const signIn = useSignIn("auth-page");
  const [busy, run] = useSingleFlight();
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

/** A client-side navigation has removed the focused button. */
function useFocusOnArrival(heading: RefObject<HTMLElement | null>): void {
  const navigationType = useNavigationType();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only for the first navigation
  useEffect(() => {
    if (navigationType !== "POP") heading.current?.focus();
  }, []);
}
