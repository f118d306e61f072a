import type { Page } from "@playwright/test";

export async function holdScripts(page: Page): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await page.route(/\.js$/, (route) => released.promise.then(() => route.continue()));
  return released.resolve;
}
