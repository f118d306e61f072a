import "./app.css";
import type { ReactNode } from "react";
import {
  isRouteErrorResponse,
  Links,
  type LoaderFunctionArgs,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLoaderData,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from "react-router";
import { SessionMark } from "../auth/ui/session/session-mark.tsx";
import { SessionProvider } from "../auth/ui/session/session-provider.tsx";
import { GuardedLinks } from "../browser/guarded-links.tsx";
import { InlineScript } from "../browser/inline-script.tsx";
import { InputBeforeHydration } from "../browser/input-before-hydration.tsx";
import { KeepPage } from "../browser/keep-page.tsx";
import { restoreScroll, SCROLL_KEY } from "../browser/restore-scroll.ts";
import { UpdateCheck, UpdateNotice } from "../browser/update-check.tsx";
import { SavedLine } from "../offline/saved-line.tsx";
import { MessagePage, SiteFooter } from "../ui/page-layout.tsx";
import { ToastProvider } from "../ui/toast.tsx";
import { siteContext } from "./loader-context.server.ts";
import { PageHeadTags, ScriptPreloads } from "./page-head.tsx";
import NotFound from "./routes/not-found.tsx";

export function loader({ context }: LoaderFunctionArgs) {
  const { publicClientKey, providers, operator, origin, offline } = context.get(siteContext);
  return { clientKey: publicClientKey, providers, operatorEmail: operator?.email ?? null, origin, offline };
}

export function shouldRevalidate(): boolean {
  return false;
}

/** The `handle` of a route whose page has no scripts: links to it load the document. */
export interface WithoutScripts {
  withoutScripts: true;
}

function useHasScripts(): boolean {
  return !useMatches().some(({ handle }) => (handle as WithoutScripts | undefined)?.withoutScripts);
}

export function Layout({ children }: { children: ReactNode }) {
  const data = useRouteLoaderData<typeof loader>("root");
  // biome-ignore lint/correctness/useHookAtTopLevel: the build knows the condition, so that browsers get no code
  const hasScripts = !import.meta.env.SSR || useHasScripts();
  return (
    // `SessionMark` changes it before hydration.
    <html
      lang="en-GB"
      data-scripts={import.meta.env.SSR ? undefined : ""}
      data-offline={data?.offline ? "" : undefined}
      suppressHydrationWarning
    >
      <head>
        <meta charSet="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#faf6ee" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#171310" media="(prefers-color-scheme: dark)" />
        {data && <meta name="client-key" content={data.clientKey} />}
        {hasScripts && (
          <>
            <SessionMark />
            <UpdateCheck />
          </>
        )}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="manifest" href="/site.webmanifest" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        <Links />
        {hasScripts && <ScriptPreloads />}
        {import.meta.env.SSR && <PageHeadTags />}
      </head>
      <body>
        <KeepPage>
          {hasScripts && <InputBeforeHydration />}
          <ToastProvider>
            {children}
            <SiteFooter email={data?.operatorEmail}>
              {hasScripts && data?.offline && <SavedLine />}
            </SiteFooter>
            <UpdateNotice />
            <GuardedLinks />
          </ToastProvider>
          {hasScripts && (
            <>
              {/* The router's own script throws where storage is blocked. */}
              {import.meta.env.SSR ? (
                <InlineScript text={restoreScroll} />
              ) : (
                <ScrollRestoration storageKey={SCROLL_KEY} />
              )}
              <Scripts />
            </>
          )}
        </KeepPage>
      </body>
    </html>
  );
}

export default function Root() {
  const { clientKey, providers, operatorEmail } = useLoaderData<typeof loader>();
  return (
    <SessionProvider clientKey={clientKey} providers={providers} operatorEmail={operatorEmail}>
      <Outlet />
    </SessionProvider>
  );
}

export function ErrorBoundary() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  return (
    <MessagePage title="Something went wrong" heading="Something went wrong">
      <p>This page cannot be shown just now. Please try again in a moment.</p>
      <a className="button" href="/">
        Return to Home
      </a>
    </MessagePage>
  );
}
