import type { MiddlewareHandler } from "hono";
import { TimeoutError, withTimeout } from "../../lib/timeout.server.ts";
import { unavailable } from "./errors.server.ts";

/** What `answerWithin` tells the routes behind it. */
export interface InTime {
  Variables: {
    /** By when, on the clock of `performance.now()`, whatever is written must be decided: the rest of the time is for its commit. */
    latest: number;
    /** Why the answer is a failure, for the log. */
    reason?: string;
  };
}

/** The part of the time that is left for a commit and the way back. */
const COMMIT = 0.2;

/**
 * Answers 503 where an answer takes longer than `ms`: some clients wait for ever. What was answered so must not become true later:
 * routes that write hand `latest` on to `transactionBefore`.
 */
export function answerWithin(ms: number): MiddlewareHandler<InTime> {
  return async function answerInTime(c, next) {
    c.set("latest", performance.now() + ms * (1 - COMMIT));
    await withTimeout(ms, next()).catch((error) => {
      if (!(error instanceof TimeoutError)) throw error;
      c.set("reason", error.message);
      throw unavailable;
    });
  };
}
