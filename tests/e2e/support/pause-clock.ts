import type { BrowserContext, Page } from "@playwright/test";

export async function pauseClock({ clock }: Page | BrowserContext): Promise<void> {
  await clock.pauseAt(Date.now() + 5_000);
}
