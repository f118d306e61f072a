import { type Browser, chromium } from "@playwright/test";
import configuration from "../playwright.config.ts";
import { findChromium } from "./chromium.mjs";

/** Starts a Chromium with the browser tests' options and further switches. It is closed with the stack. */
export async function openBrowser(running: AsyncDisposableStack, moreArgs: string[] = []): Promise<Browser> {
  const options = configuration.use?.launchOptions;
  const browser = await chromium.launch({
    ...options,
    args: [...(options?.args ?? []), ...moreArgs],
    executablePath: String(await findChromium()),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  running.defer(() => browser.close());
  return browser;
}
