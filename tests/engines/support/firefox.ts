import { z } from "zod";
import { evaluateInFirefox, firefoxPath, startFirefox } from "../../support/firefox.ts";
import { inputBy } from "./actions.ts";
import type { Browser, Size, Tab } from "./browser.ts";

const createdTab = z.object({ context: z.string() });
const createdProfile = z.object({ userContext: z.string() });

/** Starts Firefox, driven by WebDriver BiDi. */
export async function launchFirefox(size: Size): Promise<Browser> {
  const firefox = await startFirefox(firefoxPath ?? "firefox");
  const { send } = firefox;

  async function tabOf(context: string): Promise<Tab> {
    await send("browsingContext.setViewport", { context, viewport: size });
    return {
      ...inputBy((actions) => send("input.performActions", { context, actions })),
      async goto(url) {
        await send("browsingContext.navigate", { context, url, wait: "complete" });
      },
      async reload() {
        await send("browsingContext.reload", { context, wait: "complete" });
      },
      async traverse(delta) {
        await send("browsingContext.traverseHistory", { context, delta });
      },
      evaluate: async (expression) => String(await evaluateInFirefox(firefox, context, expression)),
    };
  }

  return {
    async openProfile() {
      const profile = createdProfile.parse(await send("browser.createUserContext", {}));
      const options = { type: "tab", ...profile };
      return {
        openTab: async () => tabOf(createdTab.parse(await send("browsingContext.create", options)).context),
        [Symbol.asyncDispose]: async () => void (await send("browser.removeUserContext", profile)),
      };
    },
    [Symbol.asyncDispose]: () => firefox[Symbol.asyncDispose](),
  };
}
