import { collectDefaultMetrics, Histogram, Registry } from "@prometheus-io/client";

/** Observes the duration of a finished request, in seconds. */
export type ObserveRequest = (
  request: { method: string; route: string; status: number },
  seconds: number,
) => void;

/** In seconds, from responses out of memory to those that wait for a provider. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * A registry for one site, with the metrics of requests by route, of the process and of Node. Other parts of
 * the site register theirs here.
 */
export function createRegistry(): { registry: Registry; observeRequest: ObserveRequest } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "front_row_http_request_duration_seconds",
    help: "Duration of requests, by route pattern, method and status",
    labelNames: ["method", "route", "status"],
    buckets,
    registers: [registry],
  });
  return { registry, observeRequest: (request, seconds) => duration.observe(request, seconds) };
}
