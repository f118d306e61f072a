import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { renderToString } from "react-dom/server";
import { type EntryContext, ServerRouter } from "react-router";
import { inOwnMemory } from "./http/own-memory.server.ts";
import { protectPage } from "./http/page-policy.server.ts";
import { nextTurn } from "./http/turns.server.ts";
import { RenderedPage } from "./rendered-page.server.ts";
import { createCardDrawing } from "./shows/card-drawing.server.ts";
import { CardDrawing } from "./shows/show-card.tsx";
import { ScriptNonce } from "./ui/inline-script.tsx";
import { putOffScripts } from "./ui/late-scripts.tsx";

/** While the site is worked on, a card may look another way from one page to the next. */
const drawCards = import.meta.env.DEV ? null : createCardDrawing();

/**
 * Renders a page whole, with the policy for its scripts: pages are kept and compressed as one text, so there is nobody to
 * stream to. What the loaders answered is at hand before that, and nothing in a page waits. It takes several turns of the event loop: the
 * loaders, writing down what they answered, the page around its cards, its scripts, and some cards at a time. Who asks for something that is
 * there need not wait for all of it.
 */
export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  { serverHandoffStream, manifest, ...routerContext }: EntryContext,
): Promise<Response> {
  const nonce = randomUUID();
  const routes = inPage(manifest);
  const data = serverHandoffStream ? await text(serverHandoffStream) : "";
  await nextTurn();
  const cards = drawCards?.(nonce);
  const rendered = renderToString(
    <ScriptNonce value={nonce}>
      <CardDrawing value={cards?.draw ?? null}>
        <ServerRouter context={{ ...routerContext, manifest: routes }} url={request.url} nonce={nonce} />
      </CardDrawing>
    </ScriptNonce>,
  );
  await nextTurn();
  const script = routesScript(routes) + dataScript(data);
  const frame = `<!DOCTYPE html>${putOffScripts(rendered.slice(0, -end.length), nonce)}`;
  const { html, policy: ownPolicy } = protectPage(frame, { nonce, scripts: [script], address: request.url });
  const policy = import.meta.env.DEV ? developmentPolicy : ownPolicy;
  await nextTurn();
  const pieces = cards ? await cards.putInto(html) : [Buffer.from(html)];
  const page = inOwnMemory(...pieces, Buffer.from(`<script>${script}</script>${end}`));
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy", policy);
  return new RenderedPage({ text: page, policy }, { status, headers });
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
function routesScript(routes: EntryContext["manifest"]): string {
  return `window.__reactRouterManifest=${inScript(routes)};`;
}

/** Instead of the file with the routes, React Router's script loads one that it loads anyway. */
function inPage(manifest: EntryContext["manifest"]): EntryContext["manifest"] {
  return { ...manifest, url: manifest.entry.imports[0] ?? manifest.url };
}

/** A value as JavaScript that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
