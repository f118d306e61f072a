import type { BrowserContext, Page } from "@playwright/test";

/**
 * Pauses the clock of a page, or of all pages of a context, which the test has installed: timers wait until
 * the test advances the time.
 */
export async function pauseClock({ clock }: Page | BrowserContext): Promise<void> {
  await clock.pauseAt(Date.now() + 5_000);
}
