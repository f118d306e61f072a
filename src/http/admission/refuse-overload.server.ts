import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createClientNetworks } from "../clients/client-address.server.ts";
import { busyPage } from "./busy-page.server.ts";
import { createInFlightLimit } from "./in-flight-limit.server.ts";
import { createRequestQueue } from "./request-queue.server.ts";

export interface LoadLimits {
  /** How long a request may wait for its turn, in ms. */
  maxWait: number;
  /** So many may wait longer. */
  spare: number;
  /** Requests in flight. */
  inFlight: number;
  /** Of these, such as wait for the database or a provider. */
  waiting: number;
  /** How long a refusal is held back, in ms: whoever tries again at once does so no faster than this. */
  refusalDelay: number;
}

export const loadLimits: Readonly<LoadLimits> = {
  maxWait: 150,
  spare: 20,
  inFlight: 1_000,
  waiting: 200,
  refusalDelay: 1_000,
};

interface OverloadOptions {
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Told of each request that is refused. */
  onRefused: () => void;
  limits?: LoadLimits;
  now?: () => number;
}

/** What the operator asks, above all when there is too much to do. */
const alwaysAnswered = /^\/(healthz|readyz|metrics)(\?|$)/;

/** Takes as long as the client takes to read it. */
const file = /^\/assets\/[\w.-]+$/;

/** Waits for nobody. The same in another spelling counts among what does. */
const answeredFromMemory = /^\/(api\/shows|auth)?(\?|$)/;

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Lets requests through to the listener as long as it can keep up with them. Others are answered 503 without any work: a page
 * for people, `{ code, message }` for programs.
 * @param listener resolves when it has answered
 */
export function refuseOverload(
  listener: Listener,
  { trustedProxies, onRefused, limits = loadLimits, now = () => performance.now() }: OverloadOptions,
): RequestListener {
  const networksOf = createClientNetworks(trustedProxies);
  const all = createInFlightLimit({ max: limits.inFlight, onEvicted: onRefused });
  const waiting = createInFlightLimit({ max: limits.waiting, networksOf, onEvicted: onRefused });
  const queue = createRequestQueue({ ...limits, now });

  function limitsFor(path: string) {
    if (file.test(path)) return [];
    return answeredFromMemory.test(path) ? [all] : [all, waiting];
  }

  return function answerOrRefuse(request, response) {
    const path = request.url ?? "";
    if (alwaysAnswered.test(path)) return listener(request, response);
    const counted = limitsFor(path);
    const leave = () => {
      for (const limit of counted) limit.leave(request);
    };
    const refuse = () => {
      leave();
      onRefused();
      setTimeout(sendBusy, limits.refusalDelay, request, response);
    };
    const start = () => void listener(request, response).finally(leave);
    if (counted.every((limit) => limit.enter(request))) queue.add({ start, refuse });
    else refuse();
  };
}

const busyJson = {
  headers: {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "Retry-After": busyPage.headers["Retry-After"],
    "X-Content-Type-Options": "nosniff",
  },
  body: JSON.stringify({ code: "unavailable", message: busyPage.message }),
};

function sendBusy({ headers }: IncomingMessage, response: ServerResponse): void {
  if (headers.accept?.includes("text/html")) response.writeHead(503, busyPage.headers).end(busyPage.html);
  else response.writeHead(503, busyJson.headers).end(busyJson.body);
}
