import { test as base, type Page, type Response } from "@playwright/test";
import { type List, listOf } from "./list.ts";
import { type Problems, watchForProblems } from "./problems.ts";
import { interceptShowsApi, type ShowsApi } from "./shows-api.ts";

interface Options {
  /** The site with the small, known programme, or what `npm start` starts. */
  site: "small" | "product";
}

interface Fixtures {
  /** Anything that goes wrong in the browser fails the test, unless it is expected here. */
  problems: Problems;
  /** What the page asks the API, held back or failing where a test wants that. */
  api: ShowsApi;
  /** The parts of the show list. */
  list: List;
  /** Opens an address of the site and waits until it is interactive. */
  visit: (address: string) => Promise<Response>;
}

export const test = base.extend<Options & Fixtures>({
  site: ["small", { option: true }],
  baseURL: async ({ site }, use) => use(site === "small" ? process.env.SMALL_SITE : process.env.PRODUCT),
  problems: [
    async ({ context, baseURL, javaScriptEnabled }, use) => {
      const problems = watchForProblems(context, baseURL ?? "");
      // So Chromium reports a preloaded script where scripts are switched off.
      if (javaScriptEnabled === false) problems.allow(/^failed: csp /);
      await use(problems);
      // What has to go wrong may do so a moment after what the test looked at last.
      await expect.poll(problems.missing, "everything went wrong in the browser that the test expected").toEqual([]);
      expect(problems.unexpected(), "nothing went wrong in the browser that the test did not expect").toEqual([]);
    },
    { auto: true },
  ],
  api: async ({ page }, use) => use(interceptShowsApi(page)),
  list: async ({ page }, use) => use(listOf(page)),
  visit: async ({ page, javaScriptEnabled }, use) =>
    use(async (address) => {
      const answer = await page.goto(address);
      if (!answer) throw new Error(`${address} is no other page than the open one`);
      if (javaScriptEnabled !== false) await untilInteractive(page);
      return answer;
    }),
});

export const { expect } = test;

/** For tests of what the width of the screen does not change. */
export const once = { tag: "@once" };

/** For tests that take long and that a narrow and a wide screen are enough for. */
export const twice = { tag: "@twice" };

/** Waits until scripts have taken the page over: from then on scrolling is theirs, which is the last that they see to. */
export async function untilInteractive(page: Page): Promise<void> {
  await page.waitForFunction(() => history.scrollRestoration === "manual");
}

/** Runs the same tests for visitors with JavaScript, and on two screens for those without. */
export function withAndWithoutJavaScript(tests: (javaScriptEnabled: boolean) => void): void {
  for (const javaScriptEnabled of [true, false]) {
    const [visitors, details] = javaScriptEnabled ? ["with JavaScript", {}] : ["without JavaScript", twice];
    test.describe(visitors, details, () => {
      test.use({ javaScriptEnabled });
      tests(javaScriptEnabled);
    });
  }
}
