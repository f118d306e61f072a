import type { Logger } from "pino";

const LOG_INTERVAL_MS = 10_000;

export type LogOutage = (line: object, message: string) => void;

/** Many requests fail in an outage: logs the first, and how many others failed in the next interval. */
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
    }, LOG_INTERVAL_MS).unref();
  };
}
