import type { MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { wasRefused } from "./overload-page.server.ts";

/** Logs each request's method, path (never its query or its sender), status and duration in ms; failures stand out, the rest is for debugging. */
export function logRequests(log: Logger): MiddlewareHandler {
  return async function logRequest(c, next) {
    const began = performance.now();
    await next();
    const level = c.res.status >= 500 && !wasRefused(c) ? "warn" : "debug";
    const ms = Math.round(performance.now() - began);
    log[level]({ method: c.req.method, path: c.req.path, status: c.res.status, ms }, "Request answered");
  };
}
