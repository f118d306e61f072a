import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { createExpiringMap, type ExpiringMap } from "../../lib/expiring-map.server.ts";
import { HttpError } from "../requests/errors.server.ts";
import type { NetworksOf } from "./client-address.server.ts";

export interface RateLimit {
  requests: number;
  /** At most 3,600: no client is remembered for longer. */
  seconds: number;
  /** If true, a /48 counts as one client. */
  isExpensive?: boolean;
}

/** Counts each request once. Returns how many seconds the client must wait. */
export type CountRequest = (request: IncomingMessage) => number;

export type CreateRateCounter = (limit: RateLimit) => CountRequest;

/** A /48 may send this many times the requests of a /64. */
const WIDE_NETWORK_FACTOR = 8;

const MAX_NETWORKS = 20_000;

interface CountingOptions {
  networksOf: NetworksOf;
  log: Logger;
  maxNetworks?: number;
}

/**
 * Counts requests by IPv4 address, or by IPv6 /64 and /48. Loopback requests are not counted. Warns once if an
 * untrusted proxy sends them.
 */
export function createRateCounters({
  networksOf,
  log,
  maxNetworks = MAX_NETWORKS,
}: CountingOptions): CreateRateCounter {
  let hasWarned = false;

  function warnOfLocalProxy({ socket, headers }: IncomingMessage): void {
    if (hasWarned || !socket.remoteAddress || headers["x-forwarded-for"] === undefined) return;
    hasWarned = true;
    log.warn(
      "A proxy on this machine names its clients, but is not in TRUSTED_PROXIES: nobody's requests are limited",
    );
  }

  return function createRateCounter({ requests, seconds, isExpensive = false }) {
    const forget = { ttl: seconds * 1000, max: maxNetworks };
    // Two maps: the many /64s of a /48 must not evict its own count.
    const windows = createExpiringMap<number>(forget);
    const widerWindows = createExpiringMap<number>(forget);

    function countForNetworks(request: IncomingMessage): number {
      const [network, wider] = networksOf(request);
      if (network === undefined) {
        warnOfLocalProxy(request);
        return 0;
      }
      if (isExpensive) return count(widerWindows, wider ?? network, requests);
      const wait = count(windows, network, requests);
      // A refused request does not count against the rest of the /48.
      return wait === 0 && wider !== undefined
        ? count(widerWindows, wider, requests * WIDE_NETWORK_FACTOR)
        : wait;
    }

    // The listener cache may have counted the request already.
    const waits = new WeakMap<IncomingMessage, number>();
    return function countRequest(request) {
      const wait = waits.get(request) ?? countForNetworks(request);
      waits.set(request, wait);
      return wait;
    };
  };
}

function count(windows: ExpiringMap<number>, network: string, max: number): number {
  const window = windows.get(network) ?? windows.add(network, 0);
  window.value++;
  return window.value > max ? Math.ceil((window.endsAt - performance.now()) / 1000) : 0;
}

export type Refuse = (wait: number, c: Context) => Error;

export function limitRate(countRequest: CountRequest, refuse?: Refuse): MiddlewareHandler {
  return async function limitClient(c, next) {
    c.set("count", countRequest);
    checkRate(c, countRequest, refuse);
    await next();
  };
}

/** @throws for a client over its limit */
export function checkRate(c: Context, countRequest: CountRequest, refuse: Refuse = tooManyRequests): void {
  const wait = countRequest(c.env.incoming);
  if (wait > 0) throw refuse(wait, c);
}

export function tooManyRequests(wait: number): HttpError {
  return new HttpError(
    429,
    "network_rate_limited",
    "Too many requests came from your network. Please try again later.",
    wait,
  );
}
