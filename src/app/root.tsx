import { type ReactNode, useEffect } from "react";
import { Outlet, ScrollRestoration, useLocation, useRouteError } from "react-router";
import { SessionProvider } from "../auth/ui/session/session-provider.tsx";
import { isFirstAddress } from "../browser/keep-page.tsx";
import { SCROLL_KEY } from "../browser/restore-scroll.ts";
import { UpdateNotice } from "../browser/update-check.tsx";
import { SavedLine } from "../offline/footer-line.tsx";
import { MessagePage, SiteFooter } from "../ui/page-layout.tsx";
import { ToastProvider } from "../ui/toast.tsx";
import { GuardedLinks } from "./guarded-links.tsx";
import { useSite } from "./site.tsx";

/** Around every screen. */
export function Root() {
  const { clientKey, providers, operatorEmail } = useSite();
  return (
    <Frame>
      <SessionProvider clientKey={clientKey} providers={providers} operatorEmail={operatorEmail}>
        <Outlet />
      </SessionProvider>
    </Frame>
  );
}

/** In place of `Root`. */
export function BrokenPage() {
  const error = useRouteError();
  // `KeepPage` leaves the server's page (docs/product.md §8.2).
  if (!import.meta.env.SSR && isFirstAddress()) throw error;
  return (
    <Frame>
      <MessagePage title="Something went wrong">
        <p>This page cannot be shown just now. Please try again in a moment.</p>
      </MessagePage>
    </Frame>
  );
}

export function NotFound() {
  const { pathname } = useLocation();
  useEffect(() => console.error(`404: there is no page at ${pathname}`), [pathname]);
  return <MessagePage title="Page not found" heading="Oops! Page not found" />;
}

function Frame({ children }: { children: ReactNode }) {
  const { operatorEmail, offline } = useSite();
  return (
    <ToastProvider>
      {children}
      <SiteFooter email={operatorEmail}>{offline && <SavedLine />}</SiteFooter>
      <UpdateNotice />
      <GuardedLinks />
      <ScrollRestoration storageKey={SCROLL_KEY} />
    </ToastProvider>
  );
}
