import { Logger as WorkerLogger } from "graphile-worker";
import type { Logger } from "pino";

/** The queue retries after errors, so they are only warnings. Its routine messages are for debugging. */
const levels = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** Writes the job queue's messages to our log. Failed jobs only at debug level: the task logs them itself. */
export function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, { failure }) => {
    log[failure ? "debug" : levels[level]]({ from: "job queue" }, message);
  });
}
