import { z } from "zod";
import { evaluateInFirefox, startFirefox } from "../../support/firefox.ts";

/** A page in a Firefox as its makers release it, which Playwright cannot drive. */
export interface FirefoxPage extends AsyncDisposable {
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page. @throws Error with the exception's text */
  evaluate(expression: string): Promise<unknown>;
  /** Lets requests fail whose URL contains the text; null lets none fail. */
  failRequests(text: string | null): void;
}

const blockedRequest = z.object({
  isBlocked: z.literal(true),
  request: z.object({ request: z.string(), url: z.string() }),
});

/** Starts Firefox with a new profile. */
export async function openFirefox(executable: string): Promise<FirefoxPage> {
  const firefox = await startFirefox(executable);
  const { context, send } = firefox;
  let failing: string | null = null;
  await firefox.on("network.beforeRequestSent", (params) => {
    const { data } = blockedRequest.safeParse(params);
    if (!data) return;
    const { request, url } = data.request;
    const command =
      failing !== null && url.includes(failing) ? "network.failRequest" : "network.continueRequest";
    // A request of a page that is left is gone.
    send(command, { request }).catch(() => {});
  });
  await send("network.addIntercept", { phases: ["beforeRequestSent"] });
  return {
    async goto(url) {
      await send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    evaluate: (expression) => evaluateInFirefox(firefox, context, expression),
    failRequests(text) {
      failing = text;
    },
    [Symbol.asyncDispose]: () => firefox[Symbol.asyncDispose](),
  };
}
