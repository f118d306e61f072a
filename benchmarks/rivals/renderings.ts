/*
 * Two ways to the HTML of a page of the list, whose shows are ready made: the product's, with React Router's
 * request handler, and React alone. `measure-rendering.ts` builds this file, because unbuilt React is slower.
 */
import { createElement, type ReactElement } from "react";
import { renderToString } from "react-dom/server";
import { createRequestHandler, RouterContextProvider, type ServerBuild, ServerRouter } from "react-router";
import * as productEntry from "../../src/app/entry.server.tsx";
import { type Site, siteContext } from "../../src/app/loader-context.server.ts";
import * as root from "../../src/app/root.tsx";
import * as home from "../../src/app/routes/home.tsx";
import type { ShowPage } from "../../src/domain/show.ts";
import { parseShowQuery } from "../../src/domain/show-query.ts";

const url = "http://localhost/";
const query = parseShowQuery(new URLSearchParams());
const site = {
  operator: null,
  origin: url,
  publicClientKey: "key",
  providers: ["google"],
  catalogue: { get: () => undefined },
} as unknown as Site;

/** What the product's build says of its routes. */
const rootRoute = { id: "root", path: "", hasLoader: true };
const homeRoute = { id: "routes/home", parentId: "root", index: true, hasLoader: true };
const build = {
  routes: { root: { ...rootRoute, module: root }, "routes/home": { ...homeRoute, module: home } },
  assets: { entry: { imports: [] }, routes: { root: rootRoute, "routes/home": homeRoute } },
  routeDiscovery: { mode: "initial" },
  ssr: true,
} as unknown as ServerBuild;

function createRenderer(entry: ServerBuild["entry"]["module"]) {
  const handle = createRequestHandler({ ...build, entry: { module: entry } });
  return async (list: ShowPage): Promise<string> => {
    const context = new RouterContextProvider();
    context.set(siteContext, { ...site, found: { query, list } });
    return (await handle(new Request(url), context)).text();
  };
}

/** From the loaded shows to the text of the page and its policy. */
export const renderAsProduct = createRenderer(productEntry);

/** The same component tree, without the data of its shows, which React Router streams after it. */
export async function prepareReactAlone(list: ShowPage): Promise<() => string> {
  let elements: ReactElement | undefined;
  const entry: ServerBuild["entry"]["module"] = {
    default(request, _status, _headers, context) {
      const withoutData = { ...context, serverHandoffStream: undefined };
      elements = createElement(ServerRouter, { context: withoutData, url: request.url });
      return new Response();
    },
  };
  await createRenderer(entry)(list);
  return () => renderToString(elements);
}
