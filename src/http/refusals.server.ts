import type { Logger } from "pino";

/** How often it is logged that requests were refused, in ms. */
const LOGGED_EVERY = 10_000;

/** What is to be told of each request that is refused because there is too much to do: counts it, and logs how many they were, once for all of some seconds. */
export function createRefusals(log: Logger, count: () => void): () => void {
  let refused = 0;
  return function noteRefusal() {
    count();
    if (refused++ > 0) return;
    setTimeout(() => {
      log.warn({ refused }, "Too busy: requests were refused");
      refused = 0;
    }, LOGGED_EVERY).unref();
  };
}
