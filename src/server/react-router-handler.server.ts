import * as build from "virtual:react-router/server-build";
import { createRequestHandler, matchRoutes, RouterContextProvider } from "react-router";
import { type FoundList, siteContext } from "../app/loader-context.server.ts";
import { type Provider, providers } from "../auth/session.ts";
import type { Catalogue } from "../catalogue/catalogue.server.ts";
import type { Operator } from "../domain/operator.ts";

/** What pages are rendered from. */
export interface PageSite {
  catalogue: Catalogue;
  origin: string;
  /** Who runs the site; null for a demo. */
  operator: Operator | null;
  publicClientKey: string;
  /** The providers' configuration; null for those that are not set up. */
  signIn: Readonly<Record<Provider, unknown>>;
}

interface PageRequest {
  /** For the list: what the route handler has found. */
  found?: FoundList;
  /** For data: React Router's request. */
  request?: Request;
}

/** Creates the function that renders a page by its path and query string. */
export function createPageRenderer({ catalogue, origin, operator, publicClientKey, signIn }: PageSite) {
  const configured = providers.filter((provider) => signIn[provider]);
  const handle = createRequestHandler(build, import.meta.env.MODE);
  return (address: string, { found, request }: PageRequest = {}): Promise<Response> => {
    const context = new RouterContextProvider();
    const configuredSite = { catalogue, operator, origin, publicClientKey, providers: configured };
    context.set(siteContext, { ...configuredSite, found });
    // Concatenated, not resolved: a path that begins with two slashes would name another host.
    return handle(new Request(origin + address, request), context);
  };
}

const patterns = Object.values(build.routes)
  .filter((route) => route?.parentId === "root")
  .map((route) => ({ path: route?.path ?? "/", caseSensitive: route?.caseSensitive }));

/**
 * The pattern that React Router matches a path to, so that server and browser agree on every spelling; else
 * `*`.
 */
export function patternOf(pathname: string): string {
  return matchRoutes(patterns, { pathname })?.[0]?.route.path ?? "*";
}
