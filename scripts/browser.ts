import { type Browser, chromium } from "@playwright/test";
import configuration from "../playwright.config.ts";
import { findChromium } from "./chromium.mjs";

/** A Chromium started as the browser tests start it, with more of its switches if need be; it is closed with the stack. */
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
