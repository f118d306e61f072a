import type { Page, Route } from "@playwright/test";

/** The requests of a page to `GET /api/shows`, and power over how they are answered. */
export interface ShowsApi {
  /** The query strings of the requests so far, the first one first. */
  queries: readonly string[];
  /** Keeps back the answers to the requests that come from now on, or to those with a matching query string. */
  hold(which?: RegExp): Promise<HeldRequests>;
  /** Answers the requests that come from now on, or those with a matching query string, in another way. */
  respond(how: Parameters<Route["fulfill"]>[0] | "offline", which?: RegExp): Promise<void>;
  /** Lets requests through again. */
  restore(): Promise<void>;
}

export interface HeldRequests {
  /** How many requests wait. */
  waiting(): number;
  /** Lets those that wait, and all that come later, have their answers. Resolves when the answers were handed over. */
  release(): Promise<void>;
}

const address = /\/api\/shows(\?|$)/;

export function interceptShowsApi(page: Page): ShowsApi {
  const queries: string[] = [];
  page.on("request", (request) => address.test(request.url()) && queries.push(queryOf(request.url())));

  function on(which: RegExp, handle: (route: Route) => Promise<void>): Promise<unknown> {
    return page.route((url) => address.test(url.href) && which.test(url.search), handle);
  }

  return {
    queries,
    async hold(which = anything) {
      const open = Promise.withResolvers<void>();
      const handled: Promise<void>[] = [];
      await on(which, (route) => {
        const answered = open.promise.then(() => route.continue());
        handled.push(answered);
        return answered;
      });
      return {
        waiting: () => handled.length,
        async release() {
          open.resolve();
          await Promise.all(handled);
        },
      };
    },
    async respond(how, which = anything) {
      await on(which, (route) => (how === "offline" ? route.abort("internetdisconnected") : route.fulfill(how)));
    },
    restore: () => page.unrouteAll({ behavior: "wait" }),
  };
}

const anything = /(?:)/;

function queryOf(url: string): string {
  return new URL(url).search;
}
