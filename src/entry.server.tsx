import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { renderToString } from "react-dom/server";
import { type EntryContext, ServerRouter } from "react-router";
import { protectPage } from "./http/page-policy.server.ts";
import { createCardDrawing } from "./shows/card-drawing.server.ts";
import { CardDrawing } from "./shows/show-card.tsx";
import { ScriptNonce } from "./ui/inline-script.tsx";
import { putOffScripts } from "./ui/late-scripts.tsx";

/** While the site is worked on, a card may look another way from one page to the next. */
const drawCard = import.meta.env.DEV ? null : createCardDrawing();

/**
 * Renders a page whole, with the policy for its scripts: pages are kept and compressed as one text, so there is nobody to
 * stream to. What the loaders answered is at hand before that, and nothing in a page waits: it is rendered in one go.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  { serverHandoffStream, manifest, ...routerContext }: EntryContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString("hex");
  const data = serverHandoffStream ? await text(serverHandoffStream) : "";
  const rendered = renderToString(
    <ScriptNonce value={nonce}>
      <CardDrawing value={drawCard}>
        <ServerRouter context={{ ...routerContext, manifest: inPage(manifest) }} url={request.url} nonce={nonce} />
      </CardDrawing>
    </ScriptNonce>,
  );
  const script = `<script nonce="${nonce}">${manifestScript(manifest)}${dataScript(data)}</script>`;
  const content = putOffScripts(rendered.slice(0, -end.length), nonce);
  const page = `<!DOCTYPE html>${content}${script}${end}`;
  const { html, policy } = protectPage(page, nonce, request.url);
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", import.meta.env.DEV ? developmentPolicy : policy);
  return new Response(html, { status, headers });
}

/** While the site is worked on, Vite writes styles into the page and opens a socket on another port. */
const developmentPolicy = "frame-ancestors 'none'";

const end = "</body></html>";

/** What the loaders answered, handed over as React Router's own component does where pages are streamed. */
function dataScript(data: string): string {
  const stream = "window.__reactRouterContext.streamController";
  return `${stream}.enqueue(${inScript(data)});${stream}.close();`;
}

/** The routes stand in the page: in a file of their own they would be one more request, for 400 bytes. */
function manifestScript(manifest: EntryContext["manifest"]): string {
  return `window.__reactRouterManifest=${inScript(inPage(manifest))};`;
}

/** Instead of the file with the routes, React Router's script loads one that it loads anyway. */
function inPage(manifest: EntryContext["manifest"]): EntryContext["manifest"] {
  return { ...manifest, url: manifest.entry.imports[0] ?? manifest.url };
}

/** A value as JavaScript that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
