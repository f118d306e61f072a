import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { wasRefused } from "./overload-page.server.ts";

/** Notes one answered request and how long it took, in seconds. */
export type ObserveRequest = (request: { method: string; route: string; status: number }, seconds: number) => void;

/** From what comes out of memory to what waits for a provider, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A registry of one site's own, with what every server tells (requests by route, the process, Node) in it. Whoever counts
 * something else registers it here.
 */
export function createRegistry(): { registry: Registry; observeRequest: ObserveRequest } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "front_row_http_request_duration_seconds",
    help: "How long requests took to be answered, by the pattern of their route, method and status",
    labelNames: ["method", "route", "status"],
    buckets,
    registers: [registry],
  });
  return { registry, observeRequest: (request, seconds) => duration.observe(request, seconds) };
}

/** Observes every request, but for those that were refused. What is told of one is from a bounded set: never its address, nor whose it is. */
export function observeRequests(observe: ObserveRequest): MiddlewareHandler {
  return async function observeRequest(c, next) {
    const began = performance.now();
    await next();
    if (wasRefused(c)) return;
    const request = { method: methodOf(c), route: routeOf(c), status: c.res.status };
    observe(request, (performance.now() - began) / 1000);
  };
}

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

function methodOf(c: Context): string {
  return methods.has(c.req.method) ? c.req.method : "other";
}

/** The pattern that names a request's address exactly; else that of the part of the site which it asks for. */
function routeOf(c: Context): string {
  let part = "/*";
  for (const { path } of matchedRoutes(c)) {
    if (!path.endsWith("*")) return path;
    if (path.length > part.length) part = path;
  }
  return part;
}
