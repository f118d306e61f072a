import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { captureOAuthCallback } from "../auth/ui/sign-in/capture-callback-client.ts";
import { afterPaint } from "../browser/after-paint.ts";
import { keptElements, showAsWithoutScripts } from "../browser/keep-page.tsx";

declare global {
  interface Window {
    trustedTypes?: {
      createPolicy(
        name: "default",
        policy: { createHTML: (html: string) => string; createScriptURL: (url: string) => string | null },
      ): unknown;
    };
  }
}

/** The only markup that React itself assigns, to create inert script elements. */
const emptyScript = "<script></script>";

// Escapes texts assigned to `innerHTML` and similar sinks.
window.trustedTypes?.createPolicy("default", {
  createHTML: (html) => (html === emptyScript ? html : html.replaceAll("<", "&lt;")),
  // Only the service worker's.
  createScriptURL: (url) => (url === "/worker.js" ? url : null),
});
await captureOAuthCallback();

// The page is readable without scripts, and hydration would delay its first paint.
await afterPaint();
const page = keptElements();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter />
    </StrictMode>,
    {
      onRecoverableError(error) {
        console.error("The page was changed on its way:", error);
        window.restoreInput?.();
      },
      // Of the router itself, above `KeepPage`: React has removed the page.
      onUncaughtError(error) {
        console.error(error);
        showAsWithoutScripts(document.body, page);
      },
    },
  );
});
