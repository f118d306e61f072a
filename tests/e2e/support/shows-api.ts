import type { Page, Route } from "@playwright/test";

/** Records a page's requests to `GET /api/shows`, and intercepts them. */
export interface ShowsApi {
  queries: readonly string[];
  hold(pattern?: RegExp): Promise<HeldRequests>;
  /**
   * Responds to future requests, or to those with a matching query string, with this response or a network
   * error.
   */
  respond(response: Parameters<Route["fulfill"]>[0] | "offline", pattern?: RegExp): Promise<void>;
  restore(): Promise<void>;
}

export interface HeldRequests {
  /** The number of held requests. */
  waiting(): number;
  /** Continues the held requests and all later ones. Resolves when the held ones have been continued. */
  release(): Promise<void>;
}

const address = /\/api\/shows(\?|$)/;

export function interceptShowsApi(page: Page): ShowsApi {
  const queries: string[] = [];
  page.on("request", (request) => address.test(request.url()) && queries.push(queryOf(request.url())));

  function intercept(pattern: RegExp, handle: (route: Route) => Promise<void>): Promise<unknown> {
    return page.route((url) => address.test(url.href) && pattern.test(url.search), handle);
  }

  return {
    queries,
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
    async respond(response, pattern = anyQuery) {
      await intercept(pattern, (route) =>
        response === "offline" ? route.abort("internetdisconnected") : route.fulfill(response),
      );
    },
    restore: () => page.unrouteAll({ behavior: "wait" }),
  };
}

const anyQuery = /(?:)/;

function queryOf(url: string): string {
  return new URL(url).search;
}
