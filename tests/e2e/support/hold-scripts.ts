import type { Page } from "@playwright/test";

/** Holds all scripts of a page. Resolves with a function that releases them. */
export async function holdScripts(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(/\.js$/, (route) => released.promise.then(() => route.continue()));
  return released.resolve;
}
