import type { Logger } from "pino";

/** How often failures of an outage are logged, in ms. */
const LOG_INTERVAL = 10_000;

/** Logs a failure of an outage as a warning. */
export type LogOutage = (line: object, message: string) => void;

/**
 * Every request that needs the database fails while it is away. The first failure is logged, and an interval
 * later how many more there were; at debug level each of them.
 */
export function createOutageLog(log: Logger): LogOutage {
  let more: number | null = null;
  return function logOutage(line, message) {
    if (more !== null) {
      more += 1;
      log.debug(line, message);
      return;
    }
    log.warn(line, message);
    more = 0;
    setTimeout(() => {
      if (more) log.warn({ requests: more }, "More requests failed in the outage");
      more = null;
    }, LOG_INTERVAL).unref();
  };
}
