import { test as base, type Locator, type Page, type Response } from "@playwright/test";
import { type Problems, watchForProblems } from "./problems.ts";
import { interceptShowsApi, type ShowsApi } from "./shows-api.ts";
import { type Ui, uiOf } from "./ui.ts";

interface Options {
  /** The built server with the small programme, or `npm start`. */
  site: "small" | "product";
}

type Fixtures = { problems: Problems; api: ShowsApi; ui: Ui; visit: (address: string) => Promise<Response> };

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
  ui: async ({ page }, use) => use(uiOf(page)),
  visit: async ({ page, javaScriptEnabled }, use) =>
    use(async (address) => {
      const response = await page.goto(address);
      if (!response) throw new Error(`${address} is the page that is open already`);
      if (javaScriptEnabled !== false) await untilInteractive(page);
      return response;
    }),
});

export const { expect } = test;

export const widths = [360, 1100];
export const phone = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };

/** Waits until the page is hydrated. Taking over scroll restoration is its last step. */
export async function untilInteractive(page: Page): Promise<void> {
  await page.waitForFunction(() => history.scrollRestoration === "manual");
}

export async function holdScripts(page: Page, pattern = /\.js$/): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(pattern, (route) => released.promise.then(() => route.continue()));
  return released.resolve;
}

export const pauseClock = ({ clock }: Page) => clock.pauseAt(Date.now() + 5_000);

/** Returns a function that returns the texts of an element from now on, without repetitions. */
export async function watchTexts(element: Locator): Promise<() => Promise<string[]>> {
  const texts = await element.evaluateHandle((node) => {
    const recorded = [node.textContent ?? ""];
    const record = () => {
      const text = node.textContent ?? "";
      if (text !== recorded.at(-1)) recorded.push(text);
    };
    new MutationObserver(record).observe(node, { characterData: true, childList: true, subtree: true });
    return recorded;
  });
  return () => texts.jsonValue();
}
