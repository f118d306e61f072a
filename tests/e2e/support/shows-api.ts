import type { Page, Route } from "@playwright/test";

export type ShowsApi = ReturnType<typeof interceptShowsApi>;
const address = /\/api\/shows(\?|$)/;
const anyQuery = /(?:)/;

export function interceptShowsApi(page: Page) {
  const queries: string[] = [];
  page.on("request", (request) => address.test(request.url()) && queries.push(new URL(request.url()).search));
  const intercept = (pattern: RegExp, handle: (route: Route) => Promise<void>) =>
    page.route((url) => address.test(url.href) && pattern.test(url.search), handle);
  return {
    queries: queries as readonly string[],
    /** Holds requests until `release`, which continues them and all later ones. */
    async hold(pattern = anyQuery) {
      const released = Promise.withResolvers<void>();
      const handled: Promise<void>[] = [];
      await intercept(pattern, (route) => {
        const continued = released.promise.then(() => route.continue());
        handled.push(continued);
        return continued;
      });
      return {
        waiting: () => handled.length,
        async release() {
          released.resolve();
          await Promise.all(handled);
        },
      };
    },
    async respond(response: Parameters<Route["fulfill"]>[0] | "offline", pattern = anyQuery) {
      await intercept(pattern, (route) =>
        response === "offline" ? route.abort("internetdisconnected") : route.fulfill(response),
      );
    },
    restore: () => page.unrouteAll({ behavior: "wait" }),
  };
}
