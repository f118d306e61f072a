import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createClientNetworks } from "../clients/client-address.server.ts";
import { busyPage, refuseLater } from "./busy-page.server.ts";
import { createInFlightLimit } from "./in-flight-limit.server.ts";
import { createRequestQueue } from "./request-queue.server.ts";

export interface LoadLimits {
  /** How long a request may wait in the queue, in ms. */
  maxWait: number;
  /** A queue of this length or shorter refuses nobody. */
  minQueueLength: number;
  /** Requests in flight. */
  inFlight: number;
  /** Of these, requests that wait for the database or a provider. */
  waiting: number;
  /** How long a refusal is delayed at least, in ms, to slow down clients that retry at once. */
  refusalDelay: number;
}

export const loadLimits: Readonly<LoadLimits> = {
  maxWait: 150,
  minQueueLength: 20,
  inFlight: 1_000,
  waiting: 200,
  refusalDelay: 1_000,
};

interface OverloadOptions {
  /** Addresses and networks whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[];
  /** Called for each refused or evicted request. */
  onRefused: () => void;
  limits?: LoadLimits;
  now?: () => number;
}

/** Health and metrics, which the operator needs most under overload. */
const neverRefused = /^\/(healthz|readyz|metrics)(\?|$)/;

/** Static files, which take as long as the client takes to read them and cost the process little. */
const staticFile = /^\/assets\/[\w.-]+(\?|$)/;

/**
 * Made of what is in memory, without database or provider. Other spellings of these paths get the stricter
 * limit.
 */
const servedFromMemory =
  /^\/(api\/shows|api\/(shows\/[^/?]+\/)?preview\.png|api\/openapi\.json|auth|terms|privacy|[\w-]+\.(txt|xml|svg|ico|png))?(\?|$)/;

/** The page of a show waits for its notes, unless they are in memory. */
const showPage = /^\/\?(.*&)?show=/;

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Admission control and load shedding (docs/product.md §8.7): passes requests to the listener as long as it
 * keeps up, and refuses the others with a prepared 503: a page for people, `{ code, message }` for programs.
 * @param listener resolves when it has responded
 */
export function refuseOverload(
  listener: Listener,
  { trustedProxies, onRefused, limits = loadLimits, now = () => performance.now() }: OverloadOptions,
): RequestListener {
  const networksOf = createClientNetworks(trustedProxies);
  const all = createInFlightLimit({ max: limits.inFlight, onEvicted: onRefused });
  const waiting = createInFlightLimit({ max: limits.waiting, onEvicted: onRefused });
  const queue = createRequestQueue({ ...limits, now });

  function limitsFor(path: string) {
    if (staticFile.test(path)) return [];
    return servedFromMemory.test(path) && !showPage.test(path) ? [all] : [all, waiting];
  }

  return function admitOrRefuse(request, response) {
    const path = request.url ?? "";
    if (neverRefused.test(path)) return listener(request, response);
    const inFlightLimits = limitsFor(path);
    const leave = () => {
      for (const limit of inFlightLimits) limit.leave(request);
    };
    const refuse = () => {
      leave();
      onRefused();
      refuseLater(request, response, busyPage, limits.refusalDelay);
    };
    const start = () => void listener(request, response).finally(leave);
    const networks = networksOf(request);
    if (inFlightLimits.every((limit) => limit.enter(request, networks)))
      queue.add({ client: networks.at(-1) ?? "", start, refuse });
    else refuse();
  };
}
