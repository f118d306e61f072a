import type { Context, MiddlewareHandler } from "hono";
import { TimeoutError, withTimeout } from "../../lib/timeout.server.ts";
import { type HttpError, unavailable, unconfirmed } from "./errors.server.ts";

export interface DeadlineEnv {
  Variables: {
    /** When a write must be committing, on the clock of `performance.now()`. */
    writeDeadline: number;
    /** If its commit is not confirmed, a write may be stored nevertheless. */
    isCommitting?: boolean;
    reason?: string;
  };
}

const RESPONSE_TIMEOUT_MS = 10_000;

/** The share of the time that is left for the commit and the response. */
const COMMIT_SHARE = 0.2;

export function outageError(c: Context<DeadlineEnv>): HttpError {
  return c.get("isCommitting") ? unconfirmed : unavailable;
}

/** Some clients wait forever. Writes pass `writeDeadline` to `transactionBefore` (docs/product.md §5.15). */
export function responseDeadline(ms = RESPONSE_TIMEOUT_MS): MiddlewareHandler<DeadlineEnv> {
  return async function limitResponseTime(c, next) {
    c.set("writeDeadline", performance.now() + ms * (1 - COMMIT_SHARE));
    await withTimeout(ms, next()).catch((error) => {
      if (!(error instanceof TimeoutError)) throw error;
      c.set("reason", error.message);
      throw outageError(c);
    });
  };
}
