import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { digestOf } from "./digest.server.ts";
import { inOwnMemory } from "./own-memory.server.ts";
import { nextTurn } from "./turns.server.ts";

export type Encoding = "br" | "gzip" | "identity";

type Compress = (text: Buffer<ArrayBuffer>) => Promise<Buffer<ArrayBuffer>>;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

function compressWith(quality: number): Record<Encoding, Compress> {
  // A window of 64 KB holds a page.
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: 16 };
  return {
    br: async (text) => inOwnMemory(await compressBrotli(text, { params })),
    gzip: async (text) => inOwnMemory(await compressGzip(text)),
    identity: async (text) => text,
  };
}

/** A page of 60 KB takes 1 ms and becomes 8.5 KB; or 0.4 ms, and 9.6 KB. */
const compressSmall = compressWith(5);
const compressFast = compressWith(3);

/** A rendered text, ready to be sent. */
export interface Answer {
  contentType: string;
  /** The Content-Security-Policy, where the text has one of its own. */
  policy: string | undefined;
  /** How many bytes it takes at most: the text, and two encodings that are no longer. */
  size: number;
  /** Names exactly this text and policy; each encoding adds its own ending. */
  hash: string;
  /** Until then it passes for current, whatever has changed: on the clock of `performance.now()`. */
  standsUntil: number;
  /** Something has changed since, and it passes for current no longer than that. */
  isBehind: boolean;
  /** The text in an encoding, made when it is first asked for. */
  encoded(encoding: Encoding): Promise<Uint8Array<ArrayBuffer>>;
  /** The encodings that it was asked for in so far. */
  encodings(): Encoding[];
}

/** On the clock of `performance.now()`. */
interface RenderingTimes {
  /** Until then it passes for current. */
  standsUntil: number;
  /** Until then it may be sent although it is behind, where it is being rendered again. */
  sentUntil: number;
  /** When the pauses of all renderings so far are over. */
  restedAt: number;
  /** There have been so many renderings lately that whoever comes after a change need not see it. */
  isChangingOften: boolean;
}

interface Cached extends RenderingTimes {
  version: number;
  /** The digest of what the answer was made from. */
  content: string;
  answer: Promise<Answer>;
  /** What others are given while it is being rendered and encoded. */
  meanwhile: Promise<Answer> | null;
}

/** A text, or its bytes, and the Content-Security-Policy where it has one of its own. */
export interface Rendering {
  text: string | Buffer<ArrayBuffer>;
  policy?: string;
}

/** What an answer is made from. */
export interface Source {
  /** Tells answers apart: the normalised address. */
  key: string;
  /** While it is the same, so is the content. */
  version: number;
  /** Throws when nothing can be made now that was not made before. */
  admit?: () => void;
  /** What is on the page, as a text; while it is the same, so is the rendering. */
  content: () => string | Promise<string>;
  render: (content: string) => Rendering | Promise<Rendering>;
  contentType: string;
  /** Whether it may well be asked for once only: then it is compressed fast instead of small. */
  isRare?: boolean;
  /**
   * How far what changes all the time may be behind, in ms. The first few renderings follow each other at once; then most of this time is
   * between two of them, and until all of it is over nobody waits for the next one. Not at all unless given.
   */
  lag?: number;
}

/** Renderings that may follow each other at once. */
const AT_ONCE = 5;

/** The part of the time it may be behind after which a page is rendered again: in the rest, whoever asks for that still gets the earlier one. */
const PAUSE = 0.8;

/** How much is kept. */
export interface AnswerLimits {
  answers: number;
  /** All answers together, with their encodings. */
  bytes: number;
}

/**
 * Keeps the most recently used answers, compressed. A change elsewhere only costs looking at the content again; only
 * changed content is rendered again, and once however many ask for it at the same time.
 */
export function createAnswerCache(
  { answers, bytes }: AnswerLimits,
  now = () => performance.now(),
): (source: Source) => Promise<Answer> {
  const cache = new LRUCache<string, Cached>({ max: answers, maxSize: bytes });

  return async function answer({ key, version, admit, content, render, contentType, isRare = false, lag = 0 }) {
    const known = cache.get(key);
    if (known?.version === version) return known.meanwhile ? behind(known.meanwhile) : known.answer;
    if (known && now() < known.standsUntil) return behind(known.meanwhile ?? known.answer);
    if (!known) admit?.();
    const current = await content();
    const digest = digestOf(current);
    const cached = cache.get(key); // somebody else may have come in between
    if (cached?.content === digest) {
      cached.version = version;
      return cached.answer;
    }
    const asked = now();
    const times = planRendering(asked, lag, cached?.restedAt);
    const meanwhile = cached && times.isChangingOften ? (cached.meanwhile ?? cached.answer) : null;
    const earlier = cached && asked < cached.sentUntil ? meanwhile : null;
    const made = createAnswer(
      earlier ? nextTurn().then(() => render(current)) : render(current), // who is not to wait for it is answered before
      { contentType, standsUntil: times.standsUntil },
      isRare ? compressFast : compressSmall,
    );
    const fresh: Cached = { ...times, version, content: digest, answer: made, meanwhile };
    cache.set(key, fresh, { size: 1 });
    const weigh = (size: number) => {
      fresh.meanwhile = null;
      if (cache.peek(key) !== fresh) return;
      // What is set again as it was keeps its old size.
      cache.delete(key);
      if (size > 0) cache.set(key, fresh, { size });
    };
    const ready = meanwhile ? encodedAs(made, meanwhile) : made;
    ready.then(
      ({ size }) => weigh(size),
      () => weigh(0),
    );
    return earlier ? behind(earlier) : fresh.answer;
  };
}

/** @param before when the pauses of all earlier renderings are over */
function planRendering(asked: number, lag: number, before = 0): RenderingTimes {
  const pause = PAUSE * lag;
  const restedAt = Math.max(asked, before) + pause;
  const standsUntil = restedAt - (AT_ONCE - 1) * pause;
  return {
    restedAt,
    standsUntil,
    sentUntil: standsUntil > asked ? asked + lag : asked,
    // Whoever comes after a single change sees it.
    isChangingOften: restedAt - asked > 2 * pause,
  };
}

/** An answer in all the encodings that another was asked for in: those who ask will want the same. */
async function encodedAs(made: Promise<Answer>, before: Promise<Answer>): Promise<Answer> {
  const [answer, { encodings }] = await Promise.all([made, before]);
  await Promise.all(encodings().map(answer.encoded));
  return answer;
}

async function behind(answer: Promise<Answer>): Promise<Answer> {
  return { ...(await answer), isBehind: true };
}

async function createAnswer(
  rendering: Rendering | Promise<Rendering>,
  about: Pick<Answer, "contentType" | "standsUntil">,
  compress: Record<Encoding, Compress>,
): Promise<Answer> {
  const { policy, text: rendered } = await rendering;
  // Bytes outside of JavaScript's heap: strings of many pages would keep the garbage collector busy.
  const text = typeof rendered === "string" ? inOwnMemory(Buffer.from(rendered)) : rendered;
  const made = new Map<Encoding, Promise<Uint8Array<ArrayBuffer>>>();
  return {
    ...about,
    isBehind: false,
    size: 3 * Math.max(1, text.length),
    policy,
    hash: policy === undefined ? digestOf(text) : digestOf(digestOf(text) + policy),
    encoded(encoding) {
      const body = made.get(encoding) ?? compress[encoding](text);
      made.set(encoding, body);
      return body;
    },
    encodings: () => [...made.keys()],
  };
}
