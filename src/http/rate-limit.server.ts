import type { IncomingMessage } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { createClientNetworks } from "./client-networks.server.ts";
import { HttpError } from "./errors.server.ts";

/** How many requests one client may make within so many seconds. */
export interface ClientLimit {
  requests: number;
  seconds: number;
}

/** Counts a request to its client, once; answers how many seconds that client has to wait, 0 when the request may go on. */
export type CountRequest = (request: IncomingMessage) => Promise<number>;

/** Makes one count of requests for each limit. */
export type CountClients = (limit: ClientLimit) => CountRequest;

/** How many times as many the wider network of a client may make, which others share. */
const WIDER = 8;

/** How many clients and wider networks are counted at a time: the one that was quiet longest is forgotten for another. Some 10 MB. */
const MOST_CLIENTS = 20_000;

interface ClientLimitsOptions {
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  log: Logger;
  mostClients?: number;
}

/**
 * Counts requests by client (an IPv4 address, an IPv6 /64, and more loosely its /48), in memory and for this process alone. This
 * machine itself is not counted: behind a proxy on it that is not trusted, all visitors would be one client. The operator is
 * told of that once.
 */
export function createClientLimits({
  trustedProxies,
  log,
  mostClients = MOST_CLIENTS,
}: ClientLimitsOptions): CountClients {
  const clientNetworks = createClientNetworks(trustedProxies);
  let isTold = false;

  /** None when there is nobody to count. */
  function clientsOf({ socket, headers }: IncomingMessage): string[] {
    const forwardedFor = headers["x-forwarded-for"]?.toString();
    const peer = socket.remoteAddress;
    const networks = clientNetworks(peer, forwardedFor);
    if (networks.length === 0 && peer !== undefined && forwardedFor !== undefined && !isTold) {
      isTold = true;
      log.warn(
        "A proxy on this machine names its clients, but is not in TRUSTED_PROXIES: nobody's requests are limited",
      );
    }
    return networks;
  }

  return function countClients({ requests, seconds }) {
    const limiter = new RateLimiterMemory({ points: requests, duration: seconds });
    const counted = new LRUCache<string, true>({
      max: mostClients,
      dispose: (_, client) => void limiter.delete(client),
    });
    async function count(client: string, most: number): Promise<number> {
      counted.set(client, true);
      const { msBeforeNext, consumedPoints } = await limiter.consume(client).catch(asResult);
      return consumedPoints > most ? Math.max(1, Math.ceil(msBeforeNext / 1000)) : 0;
    }
    /** What was counted in front of the app is not counted again by the app. */
    const waits = new WeakMap<IncomingMessage, number>();
    return async function countRequest(request) {
      const before = waits.get(request);
      if (before !== undefined) return before;
      const [client, wider] = clientsOf(request);
      if (client === undefined) return 0;
      const own = await count(client, requests);
      // What a client is refused by itself is not laid to its neighbours.
      const wait = own > 0 || wider === undefined ? own : await count(wider, requests * WIDER);
      waits.set(request, wait);
      return wait;
    };
  };
}

/** Refuses the requests of clients that made too many: with 429 `rate_limited` unless another error is given. */
export function limitClients(
  count: CountRequest,
  refusal: (wait: number, c: Context) => Error = tooManyRequests,
): MiddlewareHandler {
  return async function limitClient(c, next) {
    c.set("count", count);
    const wait = await count(c.env.incoming);
    if (wait > 0) throw refusal(wait, c);
    await next();
  };
}

/** @param wait in seconds */
export function tooManyRequests(wait: number): HttpError {
  return new HttpError(429, "rate_limited", "Too many requests came from your network. Please try again later.", wait);
}

/** The library answers a refusal by throwing it. */
function asResult(refused: unknown): RateLimiterRes {
  if (refused instanceof RateLimiterRes) return refused;
  throw refused;
}
