import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import { type Answered, answeredIn, type NoteRequest } from "./note-requests.server.ts";
import type { CountRequest } from "./rate-limit.server.ts";

/** An answer of the app, as it is sent. */
interface Repeatable {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | null;
  /** Whether the app would answer the same again. */
  isCurrent: () => boolean;
}

/** And what else the app did for it. */
interface Remembered extends Repeatable {
  /** What it counted the request with. */
  count: CountRequest;
  /** What it noted of the request. */
  answered: Answered;
}

/** Told of each answer that may be given again. */
export type Remember = (request: IncomingMessage, answer: Remembered) => void;

/** Answers a request; resolves when the answer is on its way. */
type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Shortcut {
  remember: Remember;
  /** Answers what is remembered, and leaves everything else to the listener. */
  inFrontOf(listener: Listener): Listener;
}

/** Most of the bodies are kept by the app as well. */
const MOST = { max: 2_000, maxSize: 16_000_000 };

/** What an answer takes beside its body and its key, in bytes. */
const HEAD = 2_000;

/** An address that asks for the notes of all shows on a page has some 1,000 characters. Longer ones are not likely to be asked for again. */
const LONGEST_KEY = 3_000;

/**
 * Gives answers that the app has given before without the app, through which a request takes several times as long as its answer
 * takes to be sent. Only what the app marks is given again, only while the app would answer the same, and only to requests that do not
 * differ in anything that the app looks at. They are counted and noted as the app does it.
 */
export function createShortcut(note: NoteRequest): Shortcut {
  const answers = new LRUCache<string, Remembered>({
    ...MOST,
    sizeCalculation: ({ body }, key) => key.length + HEAD + (body?.length ?? 0),
  });
  return {
    remember(request, answer) {
      const key = keyOf(request);
      if (request.method === "GET" && key.length <= LONGEST_KEY) answers.set(key, answer);
    },
    inFrontOf: (listener) =>
      async function answerAgain(request, response) {
        const began = performance.now();
        const answer = request.method === "GET" ? answers.get(keyOf(request)) : undefined;
        if (!answer?.isCurrent() || (await answer.count(request)) > 0) return listener(request, response);
        response.writeHead(answer.status, answer.headers);
        response.end(answer.body);
        note(answer.answered, performance.now() - began);
      },
  };
}

/** All that the app looks at before it gives an answer that it marks. Neither an address nor a header holds a line break. */
function keyOf({ url, headers }: IncomingMessage): string {
  const { host = "", apikey = "", "accept-encoding": encoding = "", "if-none-match": known = "" } = headers;
  return `${url}\n${host}\n${apikey}\n${encoding}\n${known}`;
}

/** Marks what a handler is about to answer, which depends on nothing but `keyOf` the request and what `isCurrent` goes by. */
export function markRepeatable(c: Context, answer: Repeatable): void {
  c.set("repeatable", answer);
}

/** Has the marked answers remembered. */
export function rememberAnswers(remember: Remember): MiddlewareHandler {
  return async function rememberAnswer(c, next) {
    await next();
    const answer: Repeatable | undefined = c.get("repeatable");
    if (answer?.status === c.res.status)
      remember(c.env.incoming, { ...answer, count: c.get("count"), answered: answeredIn(c) });
  };
}
