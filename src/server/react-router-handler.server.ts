import * as build from "virtual:react-router/server-build";
import { createRequestHandler, matchRoutes, RouterContextProvider } from "react-router";
import { siteContext } from "../app/loader-context.server.ts";
import { type Provider, providers } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";

export interface RendererOptions {
  catalogue: Catalogue;
  origin: string;
  publicClientKey: string;
  /** Which providers somebody can sign in with: those that are not null. */
  signIn: Readonly<Record<Provider, unknown>>;
}

/** Renders a page of the site by its path and query string. */
export function createPageRenderer({ catalogue, origin, publicClientKey, signIn }: RendererOptions) {
  const offered = providers.filter((provider) => signIn[provider]);
  const handle = createRequestHandler(build, import.meta.env.MODE);
  return (address: string, request?: Request): Promise<Response> => {
    const context = new RouterContextProvider();
    context.set(siteContext, { catalogue, publicClientKey, providers: offered });
    // Put together, not resolved: a path of two slashes would name another host.
    return handle(new Request(origin + address, request), context);
  };
}

const patterns = Object.values(build.routes)
  .filter((route) => route?.parentId === "root")
  .map((route) => ({ path: route?.path ?? "/", caseSensitive: route?.caseSensitive }));

/** The pattern of the page that React Router takes a path for, in whatever spelling: the browser will do the same. */
export function patternOf(pathname: string): string {
  return matchRoutes(patterns, { pathname })?.[0]?.route.path ?? "*";
}
