import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createClientNetworks } from "./clients/client-address.server.ts";
import { createCount } from "./overload-count.server.ts";
import { createLine } from "./overload-line.server.ts";
import { busyPage, RETRY_AFTER } from "./overload-page.server.ts";
import { createPlaces } from "./overload-places.server.ts";

/** When a server has enough to do. */
export interface LoadLimits {
  /** How long a request may wait in line, in ms. */
  wait: number;
  /** How many may wait longer. */
  handful: number;
  /** How many requests may be under way. */
  underWay: number;
  /** How many of them may be such as ask the database or others, and wait for them; a client may have a quarter of these. */
  waiting: number;
  /** How long a refusal is held back, in ms: whoever asks again and again without a pause does so no faster than this. */
  pause: number;
}

export const loadLimits: Readonly<LoadLimits> = { wait: 150, handful: 20, underWay: 1_000, waiting: 200, pause: 1_000 };

interface OverloadOptions {
  /** Addresses and networks whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** Told of each request that is refused. */
  onRefused: () => void;
  limits?: LoadLimits;
  now?: () => number;
}

/** What tells the operator how the server does has to, above all now. */
const alwaysAnswered = /^\/(healthz|readyz|metrics)(\?|$)/;

/** What never waits for anybody. In another spelling it counts among what does. */
const answeredFromMemory = /^\/(api\/shows|auth)?(\?|$)/;

/** What takes as long as the client takes to read it. */
const file = /^\/assets\/[\w.-]+$/;

/** Answers a request; resolves when the answer is on its way. */
type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Lets requests through to the listener as long as it can keep up with them. Others are answered 503 without
 * any work: a page that says so to whoever opens one, `{ code, message }` to programs.
 */
export function refuseOverload(
  listener: Listener,
  { trustedProxies, onRefused, limits = loadLimits, now = () => performance.now() }: OverloadOptions,
): RequestListener {
  const line = createLine({ longestWait: limits.wait, handful: limits.handful, now });
  const underWay = createCount();
  const networksOf = createClientNetworks(trustedProxies);
  const waiting = createPlaces({ most: limits.waiting, networksOf, onCutOff: onRefused });

  /** Counts a request until the returned function is called; null when it may not begin. */
  function enter(request: IncomingMessage, address: string): (() => void) | null {
    if (file.test(address)) return () => {};
    if (underWay.value() >= limits.underWay) return null;
    const leave = answeredFromMemory.test(address) ? () => {} : waiting.take(request);
    if (!leave) return null;
    const done = underWay.add(request.socket);
    return () => {
      leave();
      done();
    };
  }

  return function answerIfPossible(request, response) {
    const address = request.url ?? "";
    if (alwaysAnswered.test(address)) return listener(request, response);
    const giveUp = () => {
      onRefused();
      setTimeout(refuse, limits.pause, request, response);
    };
    const end = enter(request, address);
    if (!end) return giveUp();
    line.join({
      begin: () => void listener(request, response).finally(end),
      giveUp: () => {
        end();
        giveUp();
      },
    });
  };
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.accept?.includes("text/html")) {
    const { status, headers, html } = busyPage(503, RETRY_AFTER);
    response.writeHead(status, headers).end(html);
    return;
  }
  response.writeHead(503, {
    "Content-Type": "application/json",
    "Cache-Control": "no-store",
    "Retry-After": RETRY_AFTER,
    "X-Content-Type-Options": "nosniff",
  });
  response.end('{"code":"unavailable","message":"Front Row is very busy. Please try again in a moment."}');
}
