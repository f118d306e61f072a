import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { wasRefused } from "./overload-page.server.ts";

/** What `handleErrors` tells of a request. */
interface Failed {
  Variables: {
    /** Why it failed, where that was foreseen. */
    reason?: string;
  };
}

/**
 * Logs each request's method, path (never its query or its sender), status and duration in ms, and why it failed where that was foreseen;
 * failures stand out, the rest is for debugging.
 */
export function logRequests(log: Logger): MiddlewareHandler<Failed> {
  return async function logRequest(c, next) {
    const began = performance.now();
    await next();
    const level = c.res.status >= 500 && !wasRefused(c) ? "warn" : "debug";
    const ms = Math.round(performance.now() - began);
    const { method, path } = c.req;
    log[level]({ method, path, status: c.res.status, ms, reason: c.get("reason") }, "Request answered");
  };
}
