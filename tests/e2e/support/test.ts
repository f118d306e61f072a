import { test as base, type Page, type Response } from "@playwright/test";
import { type List, listOf } from "./list.ts";
import { type Problems, watchForProblems } from "./problems.ts";
import { interceptShowsApi, type ShowsApi } from "./shows-api.ts";

interface Options {
  /** The built server with the small programme, or `npm start`. */
  site: "small" | "product";
}

interface Fixtures {
  /** A problem in the browser fails the test unless it is expected or allowed here. */
  problems: Problems;
  /** The page's requests to `GET /api/shows`, which a test can hold or let fail. */
  api: ShowsApi;
  /** The parts of the show list. */
  list: List;
  /** Opens an address of the site and waits until the page is interactive. */
  visit: (address: string) => Promise<Response>;
}

export const test = base.extend<Options & Fixtures>({
  site: ["small", { option: true }],
  baseURL: async ({ site }, use) => use(site === "small" ? process.env.SMALL_SITE : process.env.PRODUCT),
  problems: [
    async ({ context, baseURL, javaScriptEnabled }, use) => {
      const problems = watchForProblems(context, baseURL ?? "");
      // Chromium reports a preloaded script this way if JavaScript is disabled.
      if (javaScriptEnabled === false) problems.allow(/^failed: csp /);
      await use(problems);
      // An expected problem may occur shortly after the last assertion.
      await expect.poll(problems.missing, "expected problems that did not occur in the browser").toEqual([]);
      expect(problems.unexpected(), "unexpected problems in the browser").toEqual([]);
    },
    { auto: true },
  ],
  api: async ({ page }, use) => use(interceptShowsApi(page)),
  list: async ({ page }, use) => use(listOf(page)),
  visit: async ({ page, javaScriptEnabled }, use) =>
    use(async (address) => {
      const response = await page.goto(address);
      if (!response) throw new Error(`${address} is the page that is open already`);
      if (javaScriptEnabled !== false) await untilInteractive(page);
      return response;
    }),
});

export const { expect } = test;

/** For tests whose result does not depend on the width of the screen. */
export const once: { tag: string | string[] } = { tag: "@once" };

/** Like `once`, for what `npm test` leaves to `npm run test:soak`. */
export const soak = { tag: ["@once", "@soak"] };

/** For tests of what only phones have. */
export const narrow = { tag: "@narrow" };

/** For long tests that need only a narrow and a wide screen. */
export const twice = { tag: "@twice" };

/** Waits until the page is hydrated. Taking over scroll restoration is its last step. */
export async function untilInteractive(page: Page): Promise<void> {
  await page.waitForFunction(() => history.scrollRestoration === "manual");
}
