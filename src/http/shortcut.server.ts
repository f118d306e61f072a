import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context, MiddlewareHandler } from "hono";
import { LRUCache } from "lru-cache";
import type { Encoding } from "./answer-cache.server.ts";
import { type Answered, answeredIn, type NoteRequest } from "./note-requests.server.ts";
import { inOwnMemory, sizeOf } from "./own-memory.server.ts";
import type { CountRequest } from "./rate-limit.server.ts";
import { recogniseLast } from "./recognise-last.server.ts";
import { leaveTogether } from "./turns.server.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** An answer of the app, as it is sent. */
export interface Repeatable {
  status: 200 | 304 | 404;
  headers: Record<string, string>;
  /** In pieces. */
  body: readonly Bytes[];
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

/**
 * Answers requests to one path, whose route is the path itself; null: that is for the app. A request's encoding is what the app has once
 * made of the same header.
 */
export type AnswerDirectly = (
  request: IncomingMessage,
  query: string,
  encoding: Encoding,
) => Promise<Repeatable> | null;

interface DirectRoute {
  /** What the app counts the request with, called before anything of the request is parsed. */
  count: CountRequest;
  answer: AnswerDirectly;
}

/** What the app tells its front. */
export interface Front {
  /** Of each answer that may be given again. */
  remember: (request: IncomingMessage, answer: Remembered) => void;
  /** Of each host and `Accept-Encoding` that it has understood. */
  learn: (request: IncomingMessage, encoding: Encoding) => void;
  /** How a path is answered without it. */
  answerDirectly: (path: string, route: DirectRoute) => void;
}

/** Answers a request; resolves when the answer is known, which leaves in this turn of the event loop. */
type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Shortcut extends Front {
  /** Answers what is remembered, and leaves everything else to the listener. */
  inFrontOf(listener: Listener): Listener;
}

/** Most of the bodies are kept by the app as well. */
const MOST = { max: 2_000, maxSize: 16_000_000 };

/** What an answer takes beside its body and its key, in bytes. */
const HEAD = 2_000;

/** Ways of asking that are known at a time: browsers have few. */
const MOST_WAYS = 200;

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
    sizeCalculation: ({ body }, key) => key.length + HEAD + sizeOf(body),
  });
  const isAgain = recogniseLast();
  const encodings = new LRUCache<string, Encoding>({ max: MOST_WAYS });
  const direct = new Map<string, DirectRoute>();

  /** What is asked for the first time may never be again: to keep all of it would be more work than to make it. */
  function rememberRepeated(key: string, answer: Remembered): void {
    if (key.length <= LONGEST_KEY && (isAgain(key) || answers.has(key)))
      answers.set(key, { ...answer, body: inOnePiece(answer.body) });
  }

  /** Null where the app has to answer: always, where a client asks too often. It is not counted again. */
  async function find(request: IncomingMessage): Promise<Remembered | null> {
    if (request.method !== "GET") return null;
    const key = keyOf(request);
    const known = answers.get(key);
    if (known?.isCurrent()) return (await known.count(request)) > 0 ? null : known;
    const made = await make(request).catch(() => null);
    if (made) rememberRepeated(key, made);
    return made;
  }

  async function make(request: IncomingMessage): Promise<Remembered | null> {
    const [, path = "", query = ""] = plainAddress.exec(request.url ?? "") ?? [];
    const encoding = encodings.get(wayOf(request));
    const route = encoding && direct.get(path);
    if (!route || (await route.count(request)) > 0) return null;
    const made = await route.answer(request, query, encoding);
    if (!made) return null;
    const answered = { method: "GET", path, route: path, status: made.status, refused: false };
    return { ...made, count: route.count, answered };
  }

  return {
    remember(request, answer) {
      if (request.method === "GET") rememberRepeated(keyOf(request), answer);
    },
    learn(request, encoding) {
      // An address with a host of its own has the app look at that one, and not at the header's.
      if (plainAddress.test(request.url ?? "")) encodings.set(wayOf(request), encoding);
    },
    answerDirectly: (path, route) => direct.set(path, route),
    inFrontOf: (listener) =>
      async function answerShortly(request, response) {
        const began = performance.now();
        const answer = await find(request);
        if (!answer) return listener(request, response);
        response.writeHead(answer.status, answer.headers);
        leaveTogether(response, answer.body);
        note(answer.answered, performance.now() - began);
      },
  };
}

/** They take longer to be sent than to be put together once. */
export function inOnePiece(pieces: readonly Bytes[]): readonly Bytes[] {
  return pieces.length > 1 ? [inOwnMemory(...pieces)] : pieces;
}

/** An address that means what it says: any other is for the app to understand. */
const plainAddress = /^(\/[\w/]*)(?:\?([\w%&=+.~*!'(),;:@/?$-]*))?$/;

/** How a client writes whom it asks, and what it takes. */
function wayOf({ headers }: IncomingMessage): string {
  return `${headers.host ?? ""}\n${headers["accept-encoding"] ?? ""}`;
}

/** All that the app looks at before it gives an answer that it marks. Neither an address nor a header holds a line break. */
function keyOf({ url, headers }: IncomingMessage): string {
  const { host = "", apikey = "", "accept-encoding": encoding = "", "if-none-match": known = "", range = "" } = headers;
  return `${url}\n${host}\n${apikey}\n${encoding}\n${known}\n${range}`;
}

/** Marks what a handler is about to answer, which depends on nothing but `keyOf` the request and what `isCurrent` goes by. */
export function markRepeatable(c: Context, answer: Repeatable): void {
  c.set("repeatable", answer);
}

/** Marks what encoding a request is answered in. */
export function markNegotiated(c: Context, encoding: Encoding): void {
  c.set("encoding", encoding);
}

/** Has the marked answers and encodings remembered. */
export function rememberAnswers({ remember, learn }: Front): MiddlewareHandler {
  return async function rememberAnswer(c, next) {
    await next();
    const { incoming } = c.env;
    const answer: Repeatable | undefined = c.get("repeatable");
    if (answer?.status === c.res.status)
      remember(incoming, { ...answer, count: c.get("count"), answered: answeredIn(c) });
    const encoding: Encoding | undefined = c.get("encoding");
    if (encoding) learn(incoming, encoding);
  };
}
