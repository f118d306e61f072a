import type { Page } from "@playwright/test";

/** Keeps every script of the page back. Resolves with what lets them come. */
export async function holdScripts(page: Page): Promise<() => void> {
  const open = Promise.withResolvers<void>();
  await page.route(/\.js$/, (route) => open.promise.then(() => route.continue()));
  return open.resolve;
}
