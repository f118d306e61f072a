import { type Browser, chromium } from "@playwright/test";
import { chromiumArgs, findChromium } from "./chromium.mjs";

/** The stack closes it. */
export async function openBrowser(running: AsyncDisposableStack, moreArgs: string[] = []): Promise<Browser> {
  const browser = await chromium.launch({
    args: [...chromiumArgs, ...moreArgs],
    executablePath: String(await findChromium()),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  running.defer(() => browser.close());
  return browser;
}
