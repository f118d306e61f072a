import { type Browser, chromium } from "@playwright/test";
import configuration from "../playwright.config.ts";
import { findChromium } from "./chromium.mjs";

/** A Chromium started as the browser tests start it; it is closed with the stack. */
export async function openBrowser(running: AsyncDisposableStack): Promise<Browser> {
  const browser = await chromium.launch({
    ...configuration.use?.launchOptions,
    executablePath: String(await findChromium()),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  running.defer(() => browser.close());
  return browser;
}
