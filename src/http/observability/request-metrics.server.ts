import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

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
