/*
 * Two ways to the HTML of a page of the list, whose shows are ready made: the product's, and React alone.
 * `measure-rendering.ts` builds this file, because unbuilt React is slower.
 */
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from "react-router";
import { Document } from "../../src/app/document.tsx";
import { createPageRenderer } from "../../src/app/render-page.server.tsx";
import { createRoutes } from "../../src/app/routes.tsx";
import type { ShowPage } from "../../src/domain/show.ts";
import { parseShowQuery } from "../../src/domain/show-query.ts";

const origin = "http://localhost";
const query = parseShowQuery(new URLSearchParams());
const site = {
  origin,
  clientKey: "key",
  providers: ["google"] as const,
  operatorEmail: null,
  offline: true,
  build: "build",
};

const render = createPageRenderer({
  site,
  operator: null,
  files: { build: "build", script: "/script.js", imports: [], styles: ["/style.css"] },
  catalogue: { get: () => undefined },
});

/** From the loaded shows to the text of the page. */
export const renderAsProduct = (list: ShowPage): Promise<string> => render("/", { query, list });

/** The same component tree, without head tags and the data for hydration. */
export async function prepareReactAlone(list: ShowPage): Promise<() => string> {
  const handler = createStaticHandler(createRoutes(() => ({ query, list })));
  const context = await handler.query(new Request(origin));
  if (context instanceof Response) throw new Error("The list is a page");
  const router = createStaticRouter(handler.dataRoutes, context);
  const children = createElement(StaticRouterProvider, { router, context, hydrate: false });
  const elements = createElement(Document, { site, children });
  return () => renderToString(elements);
}
