import type { Logger } from "pino";

/** How often refusals are logged, in ms. */
const LOG_INTERVAL = 10_000;

/** Records each refused request: counts it, and logs their number at most once in ten seconds. */
export function createRecordRefusal(log: Logger, count: () => void): () => void {
  let refused = 0;
  return function recordRefusal() {
    count();
    if (refused++ > 0) return;
    setTimeout(() => {
      log.warn({ refused }, "Too busy: requests were refused");
      refused = 0;
    }, LOG_INTERVAL).unref();
  };
}
