import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import { type RecordRequest, summarizeRequest } from "../observability/record-requests.server.ts";

interface Cacheable {
  body: Uint8Array<ArrayBuffer> | null;
  isCurrent: () => boolean;
}

interface Recording extends Cacheable {
  headers: Record<string, string>;
  count: CountRequest;
  summary: ReturnType<typeof summarizeRequest>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type ListenerCache = ReturnType<typeof createListenerCache>;

const OVERHEAD = 2_000;

/**
 * Caches whole responses in front of the app: through Hono, a cached GET reaches only a quarter of the
 * throughput of `node:http`. Cache hits are rate-limited, counted and logged like others.
 */
export function createListenerCache(recordRequest: RecordRequest) {
  const recordings = new LRUCache<string, Recording>({
    max: 1_000,
    maxSize: 16_000_000,
    sizeCalculation: ({ body }, key) => OVERHEAD + key.length + (body?.length ?? 0),
  });
  return {
    record(request: IncomingMessage, recording: Recording): void {
      recordings.set(keyOf(request), recording);
    },
    wrap: (listener: Listener): Listener =>
      async function sendOrForward(request, response) {
        const startedAt = performance.now();
        const recording = canCache(request) ? recordings.get(keyOf(request)) : undefined;
        // The app refuses a client over its limit. It does not count the request again.
        if (!recording?.isCurrent() || recording.count(request) > 0) return listener(request, response);
        response.writeHead(recording.summary.status, recording.headers).end(recording.body);
        recordRequest(recording.summary, performance.now() - startedAt);
      },
  };
}

/** A response to a request with `Authorization` is private. */
function canCache({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.authorization === undefined;
}

/** All that the app reads from a request for a cacheable response. */
function keyOf({ url, headers }: IncomingMessage): string {
  const { host = "", apikey = "", "accept-encoding": encoding = "", "if-none-match": etag = "" } = headers;
  return `${url}\n${host}\n${apikey}\n${encoding}\n${etag}`;
}

export function fillListenerCache({ record }: ListenerCache): MiddlewareHandler {
  return async function recordResponse(c, next) {
    await next();
    const marked: Cacheable | undefined = c.get("cacheable");
    if (!marked || !canCache(c.env.incoming)) return;
    const headers = Object.fromEntries(c.res.headers);
    record(c.env.incoming, { ...marked, headers, count: c.get("count"), summary: summarizeRequest(c) });
  };
}

/** The response must depend only on what `keyOf` reads and on `isCurrent`. */
export function markCacheable(c: Context, cacheable: Cacheable): void {
  c.set("cacheable", cacheable);
}
