import type { MiddlewareHandler } from "hono";
import { type Deadline, TimeoutError, withTimeout } from "../../lib/bounded-wait.ts";
import { outageError } from "./errors.server.ts";

export interface DeadlineEnv {
  Variables: {
    writeDeadline: Deadline;
    reason?: string;
  };
}

const RESPONSE_TIMEOUT_MS = 10_000;

/** The share of the time for the commit and the response. */
const COMMIT_SHARE = 0.2;

/** Some clients wait without a limit. Writes pass `writeDeadline` to `transactionBefore` (docs/product.md §5.15). */
export function responseDeadline(ms = RESPONSE_TIMEOUT_MS): MiddlewareHandler<DeadlineEnv> {
  return async function limitResponseTime(c, next) {
    c.set("writeDeadline", { at: performance.now() + ms * (1 - COMMIT_SHARE), isCommitting: false });
    await withTimeout(ms, next()).catch((error) => {
      if (!(error instanceof TimeoutError)) throw error;
      c.set("reason", error.message);
      throw outageError(c);
    });
  };
}
