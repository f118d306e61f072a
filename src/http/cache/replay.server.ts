import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import { type Answered, answeredIn, type NoteRequest } from "../observability/record-requests.server.ts";

/** What a handler says of a response that may be replayed. */
interface Replayable {
  body: Uint8Array<ArrayBuffer> | null;
  /** Whether the app would answer the same again. */
  isCurrent: () => boolean;
}

interface Recording extends Replayable {
  status: number;
  headers: Record<string, string>;
  count: CountRequest;
  answered: Answered;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Replays responses of the app to exact repeats of requests. */
export interface Replay {
  record: (request: IncomingMessage, recording: Recording) => void;
  inFrontOf: (listener: Listener) => Listener;
}

/** What a recording takes besides its body and key, in bytes. */
const OVERHEAD = 2_000;

/**
 * A cached GET through Hono reaches a quarter of what `node:http` can do with the same bytes (docs/performance.md). This
 * serves exact repeats of marked responses in front of it: while the app would answer the same, to requests that are
 * equal in everything the app reads for them, counted and logged as the app does it.
 */
export function createReplay(note: NoteRequest): Replay {
  const recordings = new LRUCache<string, Recording>({
    max: 1_000,
    maxSize: 16_000_000,
    sizeCalculation: ({ body }, key) => OVERHEAD + key.length + (body?.length ?? 0),
  });
  return {
    record: (request, recording) => void recordings.set(keyOf(request), recording),
    inFrontOf: (listener) =>
      async function replayOrForward(request, response) {
        const began = performance.now();
        const recording = request.method === "GET" ? recordings.get(keyOf(request)) : undefined;
        // A client over its limit is refused by the app, which does not count the request again.
        if (!recording?.isCurrent() || (await recording.count(request)) > 0) return listener(request, response);
        response.writeHead(recording.status, recording.headers).end(recording.body);
        note(recording.answered, performance.now() - began);
      },
  };
}

/** All that the app reads of a request for a response that it marks. */
function keyOf({ url, headers }: IncomingMessage): string {
  const { host = "", apikey = "", "accept-encoding": encoding = "", "if-none-match": etag = "" } = headers;
  return `${url}\n${host}\n${apikey}\n${encoding}\n${etag}`;
}

/** The app's outermost middleware: records the responses that handlers marked. */
export function recordReplayable({ record }: Replay): MiddlewareHandler {
  return async function recordResponse(c, next) {
    await next();
    const marked: Replayable | undefined = c.get("replayable");
    if (!marked || c.req.method !== "GET") return;
    const { status, headers } = c.res;
    const about = { status, headers: Object.fromEntries(headers), count: c.get("count"), answered: answeredIn(c) };
    record(c.env.incoming, { ...marked, ...about });
  };
}

/** Marks the response that a handler returns: it depends on nothing but what `keyOf` reads and `isCurrent`. */
export function markReplayable(c: Context, replayable: Replayable): void {
  c.set("replayable", replayable);
}
