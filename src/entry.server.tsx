import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { ReactElement } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { type EntryContext, ServerRouter } from "react-router";
import { protectPage } from "./http/page-policy.server.ts";
import { ScriptNonce } from "./ui/inline-script.tsx";

/**
 * Renders a page whole, with the policy for its scripts: pages are kept and compressed as one text, so there is nobody to
 * stream to.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  routerContext: EntryContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString("hex");
  const rendered = await renderWhole(
    <ScriptNonce value={nonce}>
      <ServerRouter context={routerContext} url={request.url} nonce={nonce} />
    </ScriptNonce>,
    nonce,
  );
  const { html, policy } = protectPage(rendered, nonce, request.url);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", import.meta.env.DEV ? developmentPolicy : policy);
  return new Response(html, { status, headers });
}

/** While the site is worked on, Vite writes styles into the page and opens a socket on another port. */
const developmentPolicy = "frame-ancestors 'none'";

/** Rejects with the first error of rendering, wherever it was: the router then renders its error page. */
function renderWhole(element: ReactElement, nonce: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(element, {
      nonce,
      // Otherwise React moves large parts to the end of the page and needs a script to put them back.
      progressiveChunkSize: Number.POSITIVE_INFINITY,
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onShellError: reject,
      onError: reject,
    });
  });
}
