import { randomUUID } from "node:crypto";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReactNode } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, type RouterContextProvider, ServerRouter } from "react-router";
import { ScriptNonce } from "../browser/inline-script.tsx";
import { protectPage } from "../http/security/content-security-policy.server.ts";
import { ReportForm } from "../moderation/ui/report-fields.tsx";
import { ReportFormContext } from "../reviews/notes/note-list.tsx";
import { type FoundList, siteContext } from "./loader-context.server.ts";
import { pageHead } from "./page-head.server.ts";
import { ImportedModules, PageHeadContext } from "./page-head.tsx";

/** For development: Vite injects inline styles and opens a WebSocket on another port. */
const developmentPolicy = "frame-ancestors 'none'";

/** Pages are cached as one string, so the response waits for all content instead of streaming it. */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
  loadContext: RouterContextProvider,
): Promise<Response> {
  const nonce = randomUUID();
  const { origin, catalogue } = loadContext.get(siteContext);
  const found: FoundList | undefined = routerContext.staticHandlerContext.loaderData["routes/home"];
  const show = catalogue.get(found?.query.show ?? "");
  const { context, imported } = splitImports(routerContext);
  const rendered = await renderToText(
    <ScriptNonce value={nonce}>
      <ImportedModules value={imported}>
        <PageHeadContext value={pageHead(origin, found, show)}>
          <ReportFormContext value={ReportForm}>
            <ServerRouter context={context} url={request.url} nonce={nonce} />
          </ReportFormContext>
        </PageHeadContext>
      </ImportedModules>
    </ScriptNonce>,
    nonce,
  );
  const { html, policy } = protectPage(rendered, nonce, request.url);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", import.meta.env.DEV ? developmentPolicy : policy);
  return new Response(html, { status, headers });
}

/** Rejects with an error thrown outside of any error boundary. */
function renderToText(app: ReactNode, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(app, {
      nonce,
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onShellError: reject,
      onError: (error) => console.error(error),
    });
  });
}

/** React Router would write `modulepreload` links of high priority. `ScriptPreloads` writes them low. */
function splitImports(context: EntryContext): { context: EntryContext; imported: string[] } {
  const { entry, routes } = context.manifest;
  const matched = context.staticHandlerContext.matches.map(({ route }) => routes[route.id]?.imports ?? []);
  const ownRoutes = Object.entries(routes).map(([id, route]) => [id, route && { ...route, imports: [] }]);
  const manifest = {
    ...context.manifest,
    entry: { ...entry, imports: [] },
    routes: Object.fromEntries(ownRoutes),
  };
  return { context: { ...context, manifest }, imported: [...new Set([...entry.imports, ...matched.flat()])] };
}
