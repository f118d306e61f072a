import type { BrowserContext, BrowserType, LaunchOptions } from "@playwright/test";
import type { Browser, Profile, Size, Tab } from "./browser.ts";

export function launchPlaywright(engine: BrowserType, options?: LaunchOptions) {
  return async (viewport: Size, folder?: string): Promise<Browser> => {
    if (folder !== undefined) {
      const profile = profileOf(await engine.launchPersistentContext(folder, { ...options, viewport }));
      return { ...profile, openProfile: async () => profile };
    }
    const browser = await engine.launch(options);
    return {
      openProfile: async () => profileOf(await browser.newContext({ viewport })),
      [Symbol.asyncDispose]: () => browser.close(),
    };
  };
}

function profileOf(context: BrowserContext): Profile {
  return {
    async openTab(): Promise<Tab> {
      const page = await context.newPage();
      return {
        goto: async (url) => void (await page.goto(url)),
        reload: async () => void (await page.reload()),
        traverse: async (delta) => void (await (delta === -1 ? page.goBack() : page.goForward())),
        evaluate: async (expression) => String(await page.evaluate(expression)),
        moveMouse: ({ x, y }) => page.mouse.move(x, y),
        async pressMouse() {
          await page.mouse.down();
          await page.mouse.up();
        },
        type: (text) => page.keyboard.type(text),
      };
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}
