import type { Logger } from "pino";

/** How often refusals are logged, in ms. */
const LOG_INTERVAL = 10_000;

/** Counts each refused request, and logs their number at most once per interval. */
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
