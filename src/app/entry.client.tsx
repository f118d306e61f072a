import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { captureOAuthCallback } from "../auth/ui/sign-in/capture-callback-client.ts";
import { afterPaint } from "../browser/after-paint.ts";

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
window.addEventListener("popstate", (event) => window.closeByBack?.(event));
// The page was reloaded with a dialog open. Without the script, Back leads where it did before.
if (window.history.state?.cover) import("../browser/back-entry-client.ts").catch(() => {});

// The page is readable without scripts, and hydration would delay its first paint.
await afterPaint();
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
    },
  );
});
