import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { createBurstCounter } from "../../lib/burst-counter.server.ts";
import { mapValues } from "../../lib/map-values.ts";
import type { NetworksOf } from "../clients/client-address.server.ts";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import type { RecordRequest } from "../observability/record-requests.server.ts";
import type { RefusalError } from "../requests/errors.server.ts";
import { createQueue, type QueueLimits } from "./queue.server.ts";
import { refuseLater } from "./refusal.server.ts";

/** Only the processor limits how much is started: the room is for what waits for others. */
const cpu = { maxWait: 150, minLength: 20 };

export const costs = {
  /** For the operator, who needs it most under overload: it waits for its turn, and is never refused. */
  probe: { ...cpu, places: Number.POSITIVE_INFINITY, room: Number.POSITIVE_INFINITY },
  /** Takes as long as its client reads. */
  file: { ...cpu, places: Number.POSITIVE_INFINITY, room: Number.POSITIVE_INFINITY },
  memory: { ...cpu, places: 1_000, room: 1_000 },
  /** Waits for the database or a provider. */
  database: { ...cpu, places: 200, room: 200 },
  write: { ...cpu, places: 200, room: 200 },
} as const satisfies Record<string, QueueLimits>;

export type RequestCost = keyof typeof costs;

/** In ms: some clients retry at once. */
const REFUSAL_DELAY = 1_000;

/** In bytes as spelled, for path and query each: routing and parsing read them often. */
const MAX_URL_PART = 2_048;

/** Logged in place of the path, which may have a secret. */
const ANY = "/*";

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface AdmissionOptions {
  costOf: (request: IncomingMessage) => RequestCost;
  /** Whether a refusal is a page or JSON. */
  isPage: (request: IncomingMessage) => boolean;
  /** Such requests are not counted: a page of another site caused them in a visitor's browser. */
  refusalOfForeign: (request: IncomingMessage) => RefusalError | null;
  countRequest: CountRequest;
  refusalOfMany: (request: IncomingMessage, wait: number) => RefusalError;
  tooLong: RefusalError;
  busy: RefusalError;
  networksOf: NetworksOf;
  recordRequest: RecordRequest;
  onRefused: () => void;
  limits?: Record<RequestCost, QueueLimits>;
  refusalDelay?: number;
  now?: () => number;
}

/**
 * Every request is counted and has a cost before any work. A refusal comes late, so that a client's pipelined
 * requests delay no other client (docs/product.md §8.6, §8.7, §8.13, §8.14).
 * @param listener resolves when it has responded
 */
export function admitRequests(listener: Listener, options: AdmissionOptions): RequestListener {
  const { costOf, isPage, refusalOfForeign, countRequest, refusalOfMany, tooLong, busy, networksOf } =
    options;
  const { recordRequest, onRefused, limits = costs, refusalDelay = REFUSAL_DELAY, now } = options;
  const queues = mapValues(limits, (limit) =>
    createQueue({ ...limit, onEvicted: onRefused, ...(now && { now }) }),
  );

  function findRefusal(request: IncomingMessage): RefusalError | null {
    const foreign = refusalOfForeign(request);
    if (foreign) return foreign;
    const wait = countRequest(request);
    if (wait > 0) return refusalOfMany(request, wait);
    return isTooLong(request.url ?? "") ? tooLong : null;
  }

  return function admitOrRefuse(request, response) {
    const refusal = findRefusal(request);
    if (refusal) {
      const { status } = refusal;
      refuseLater(request, response, refusal, refusal === tooLong ? 0 : refusalDelay, isPage);
      const { method = "" } = request;
      return recordRequest({ method, path: ANY, route: ANY, status, refused: status === 503 }, 0);
    }
    const cost = costOf(request);
    const refuse = () => {
      onRefused();
      refuseLater(request, response, busy, refusalDelay, isPage);
    };
    queues[cost]({
      client: networksOf(request).at(-1) ?? "",
      start: () => listener(request, response),
      refuse: cost === "probe" ? undefined : refuse,
      request,
    });
  };
}

function isTooLong(url: string): boolean {
  const path = url.indexOf("?");
  return path === -1 ? url.length > MAX_URL_PART : Math.max(path, url.length - path - 1) > MAX_URL_PART;
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
