import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Logger } from "pino";
import { createBurstCounter } from "../../lib/burst-counter.server.ts";
import { wasRefused } from "../requests/errors.server.ts";
import { loggedPath } from "./logged-path.server.ts";

/** Never contains a query, a secret or a user. */
interface RequestSummary {
  method: string;
  path: string;
  route: string;
  status: number;
  /** Load was shed: has its own counter and does not count as a failure. */
  refused: boolean;
  reason?: string;
}

export type ObserveRequest = (
  request: { method: string; route: string; status: number },
  seconds: number,
) => void;

export type RecordRequest = (summary: RequestSummary, ms: number) => void;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const LOG_INTERVAL_MS = 10_000;

/**
 * Labels of metrics have bounded cardinality. Failures are logged as warnings, other requests for debugging. Many
 * requests fail in an outage: that logs the first, and how many others failed in the next interval.
 */
export function createRequestRecorder(observe: ObserveRequest, log: Logger): RecordRequest {
  const isFirstOfOutage = createBurstCounter(LOG_INTERVAL_MS, (failed) => {
    if (failed > 1) log.warn({ requests: failed - 1 }, "More requests failed in the outage");
  });
  return function recordRequest({ method, path, route, status, refused, reason }, ms) {
    if (!refused) observe({ method: methods.has(method) ? method : "other", route, status }, ms / 1000);
    const line = { method, path, status, ms: Math.round(ms), reason };
    const isLogged = status >= 500 && !refused && (reason === undefined || isFirstOfOutage());
    log[isLogged ? "warn" : "debug"](line, "Request answered");
  };
}

/** @param onRefused called for each response that load shedding refused: several may wait for one rendering */
export function recordRequests(recordRequest: RecordRequest, onRefused: () => void): MiddlewareHandler {
  return async function recordWhenFinished(c, next) {
    const startedAt = performance.now();
    await next();
    if (wasRefused(c)) onRefused();
    recordRequest(summarizeRequest(c), performance.now() - startedAt);
  };
}

export function summarizeRequest(c: Context): RequestSummary {
  return {
    method: c.req.method,
    path: loggedPath(c),
    route: routeOf(c),
    status: c.res.status,
    refused: wasRefused(c),
    reason: c.get("reason"),
  };
}

/** The exact route's pattern, otherwise the longest wildcard that matched. */
function routeOf(c: Context): string {
  let longest = "/*";
  for (const { path } of matchedRoutes(c)) {
    if (!path.endsWith("*")) return path;
    if (path.length > longest.length) longest = path;
  }
  return longest;
}
