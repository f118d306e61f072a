import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { createBurstCounter } from "../../lib/burst-counter.server.ts";
import type { NetworksOf } from "../clients/client-address.server.ts";
import { createInFlightLimit } from "./in-flight-limit.server.ts";
import { type RefusalError, refuseLater } from "./refusal.server.ts";
import { createRequestQueue } from "./request-queue.server.ts";

export const loadLimits = {
  /** In ms. */
  maxWait: 150,
  /** Up to this length, a queue refuses no request. */
  minQueueLength: 20,
  inFlight: 1_000,
  /** Requests in flight that wait for the database or a provider. */
  waiting: 200,
  /** The shortest delay of a refusal, in ms: some clients retry at once. */
  refusalDelay: 1_000,
};

/**
 * `nothing`: for the operator, never refused. `little`: a file, which takes as long as its client reads.
 * `memory`: answered from memory. `database`: waits for the database or a provider.
 */
export type RequestCost = "nothing" | "little" | "memory" | "database";

interface OverloadOptions {
  /** @param url as spelled */
  costOf: (url: string) => RequestCost;
  refusal: RefusalError;
  networksOf: NetworksOf;
  onRefused: () => void;
  limits?: typeof loadLimits;
  now?: () => number;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Load shedding (docs/product.md §8.7). @param listener resolves when it has responded */
export function refuseOverload(
  listener: Listener,
  {
    costOf,
    refusal,
    networksOf,
    onRefused,
    limits = loadLimits,
    now = () => performance.now(),
  }: OverloadOptions,
): RequestListener {
  const all = createInFlightLimit(limits.inFlight, onRefused);
  const waiting = createInFlightLimit(limits.waiting, onRefused);
  const queue = createRequestQueue({ ...limits, now });
  const limitsOf = { little: [], memory: [all], database: [all, waiting] };

  return function startOrRefuse(request, response) {
    const cost = costOf(request.url ?? "");
    if (cost === "nothing") return listener(request, response);
    const inFlightLimits = limitsOf[cost];
    const networks = networksOf(request);
    const leave = () => {
      for (const limit of inFlightLimits) limit.leave(request, networks);
    };
    const refuse = () => {
      leave();
      onRefused();
      refuseLater(request, response, refusal, limits.refusalDelay);
    };
    const start = () => void listener(request, response).finally(leave);
    if (inFlightLimits.every((limit) => limit.enter(request, networks)))
      queue.add({ client: networks.at(-1) ?? "", start, refuse });
    else refuse();
  };
}

const LOG_INTERVAL_MS = 10_000;

export function createRecordRefusal(log: Logger, count: () => void): () => void {
  const countRefused = createBurstCounter(LOG_INTERVAL_MS, (refused) =>
    log.warn({ refused }, "Too busy: requests were refused"),
  );
  return function recordRefusal() {
    count();
    countRefused();
  };
}
