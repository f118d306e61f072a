import "./app.css";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { createBrowserRouter, matchRoutes } from "react-router";
import { RouterProvider } from "react-router/dom";
import { afterPaint } from "../browser/after-paint.ts";
import { showAsWithoutScripts } from "../browser/keep-page.tsx";
import { findInSavedList, hasSavedList } from "../offline/find-saved.ts";
import { isSavedPage, takeSavedMark } from "../offline/saved-page.ts";
import { loadNotesPage } from "../reviews/state/load-notes.ts";
import { createListLoader } from "../shows/load-list.ts";
import { Document } from "./document.tsx";
import { createRoutes } from "./routes.tsx";
import { PAGE_DATA, type PageData, requestsOf } from "./site.tsx";

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
try {
  await hydrate();
} catch (error) {
  // As after an error that `KeepPage` catches.
  console.error(error);
  showAsWithoutScripts(null, []);
}

async function hydrate(): Promise<void> {
  const { site, loaderData }: PageData = JSON.parse(document.getElementById(PAGE_DATA)?.textContent ?? "");
  const request = requestsOf(site);
  const loadList = createListLoader({
    first: isSavedPage() ? undefined : loaderData.list,
    request,
    loadNotesPage: (...of) => loadNotesPage(request, ...of),
    saved: { takeMark: takeSavedMark, hasList: hasSavedList, find: findInSavedList },
  });
  const routes = createRoutes((navigation) => loadList(navigation.request));
  // Hydration needs the component of the page, which may be in a file of its own.
  for (const { route } of matchRoutes(routes, window.location) ?? []) {
    if (typeof route.lazy === "function") Object.assign(route, await route.lazy(), { lazy: undefined });
  }
  // The page is readable without scripts, and hydration would delay its first paint.
  await afterPaint();
  const router = createBrowserRouter(routes, { hydrationData: { loaderData } });
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <Document site={site}>
          <RouterProvider router={router} />
        </Document>
      </StrictMode>,
      {
        onRecoverableError(error) {
          console.error("The page was changed on its way:", error);
          window.restoreInput?.();
        },
      },
    );
  });
}
