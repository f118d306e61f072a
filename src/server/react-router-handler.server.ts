import * as build from "virtual:react-router/server-build";
import { createRequestHandler, matchRoutes, RouterContextProvider } from "react-router";
import { type FoundList, type Site, siteContext } from "../app/loader-context.server.ts";

export function createPageRenderer(site: Site) {
  const handle = createRequestHandler(build, import.meta.env.MODE);
  return (address: string, found: FoundList | undefined): Promise<Response> => {
    const context = new RouterContextProvider();
    context.set(siteContext, { ...site, found });
    // Concatenated: `new URL` would take a path that begins with two slashes for another host.
    return handle(new Request(site.origin + address), context);
  };
}

const patterns = Object.values(build.routes)
  .filter((route) => route?.parentId === "root")
  .map((route) => ({ path: route?.path ?? "/", caseSensitive: route?.caseSensitive }));

/** Uses React Router's own matching, so that server and browser agree on every spelling. */
export function patternOf(pathname: string): string {
  return matchRoutes(patterns, { pathname })?.[0]?.route.path ?? "*";
}
