import type { Context, MiddlewareHandler } from "hono";
import { TimeoutError, withTimeout } from "../../lib/timeout.server.ts";
import { type HttpError, unavailable, unconfirmed } from "./errors.server.ts";

/** What `responseDeadline` sets for its routes. */
export interface DeadlineEnv {
  Variables: {
    /**
     * The time of `performance.now()` at which a write must be committing; the rest is left for the commit
     * itself.
     */
    writeDeadline: number;
    /** Whether a write is being committed: if that is not confirmed, it may be stored nevertheless. */
    isCommitting?: boolean;
    /** Why the response is a failure, for the log. */
    reason?: string;
  };
}

/** How long a route may take, unless it says otherwise, in ms. */
const RESPONSE_TIMEOUT = 10_000;

/** The share of the time that is left for the commit and the response. */
const COMMIT_SHARE = 0.2;

/** The response to a request that failed in an outage. */
export function outageError(c: Context<DeadlineEnv>): HttpError {
  return c.get("isCommitting") ? unconfirmed : unavailable;
}

/**
 * Responds 503 when a route takes longer than `ms`, because some clients wait forever. A write that failed
 * this way must not be stored later (docs/product.md §5.15), so routes that write pass `writeDeadline` to
 * `transactionBefore`.
 */
export function responseDeadline(ms = RESPONSE_TIMEOUT): MiddlewareHandler<DeadlineEnv> {
  return async function limitResponseTime(c, next) {
    c.set("writeDeadline", performance.now() + ms * (1 - COMMIT_SHARE));
    await withTimeout(ms, next()).catch((error) => {
      if (!(error instanceof TimeoutError)) throw error;
      c.set("reason", error.message);
      throw outageError(c);
    });
  };
}
