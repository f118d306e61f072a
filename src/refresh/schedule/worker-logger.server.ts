import { Logger as WorkerLogger } from "graphile-worker";
import type { Logger } from "pino";

/** What goes wrong in the queue is tried again, so it is a warning; what happens all the time is for debugging. */
const levels = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** The job queue's messages in the site's own log. That a job failed is told where it fails. */
export function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, { failure }) => {
    log[failure ? "debug" : levels[level]]({ from: "job queue" }, message);
  });
}
