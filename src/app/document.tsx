import type { ReactNode } from "react";
import { markSession } from "../auth/ui/session/mark-session.ts";
import { InlineScript } from "../browser/inline-script.tsx";
import { InputBeforeHydration } from "../browser/input-before-hydration.tsx";
import { KeepPage } from "../browser/keep-page.tsx";
import { checkForUpdate } from "../browser/update-check.tsx";
import { offer } from "../offline/saved-page.ts";
import { type Site, SiteContext } from "./site.tsx";

interface DocumentProps {
  site: Site;
  hasScripts?: boolean;
  /** What the server adds to the head and to the end of the body. In the browser both stay as they are. */
  head?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
}

export function Document({ site, hasScripts = true, head, end, children }: DocumentProps) {
  return (
    // `markSession` changes it before hydration.
    <html
      lang="en-GB"
      data-build={site.build}
      data-scripts={import.meta.env.SSR ? undefined : ""}
      {...offer(site.offline)}
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
        {hasScripts && (
          <>
            <InlineScript text={markSession} />
            <InlineScript text={checkForUpdate} />
          </>
        )}
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="manifest" href="/site.webmanifest" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        {head}
      </head>
      <body>
        <KeepPage>
          {hasScripts && <InputBeforeHydration />}
          <SiteContext value={site}>{children}</SiteContext>
        </KeepPage>
        {end}
      </body>
    </html>
  );
}
