import { LRUCache } from "lru-cache";
import { digestOf } from "../../lib/hash.server.ts";
import { createEncodedBody, type EncodedBody } from "./encoded-body.server.ts";

/** What a cached response is rendered to: its text, and the Content-Security-Policy where it has its own. */
export interface Rendering {
  text: string;
  /** A digest of the text, where it is known already. */
  hash?: string;
  policy?: string | undefined;
}

/** What a response is made from at one moment. */
export interface Content {
  /** Equal for equal content: what was rendered from it is then still good. */
  hash: string;
  render: () => Rendering | Promise<Rendering>;
}

/** One cacheable resource. */
export interface Source {
  /** Tells resources apart: the normalised address. */
  key: string;
  contentType: string;
  /** A number that changes whenever the content may have changed: while it is equal, content is not even read. */
  version: () => number;
  content: () => Content | Promise<Content>;
  /**
   * For how long a response may be served stale, in ms, while its content changes more often than that. A single
   * change is always seen at once. 0: never stale.
   */
  maxStale?: number;
  /** Called before a resource that is not in the cache is made; throws to refuse it. */
  admit?: () => void;
}

/** A response without status and headers, the same for everybody. */
export interface CachedResponse {
  contentType: string;
  policy: string | undefined;
  /** Names exactly this text and policy. */
  hash: string;
  body: EncodedBody;
  /** Whether it may still be served. */
  isCurrent: () => boolean;
}

export type GetResponse = (source: Source) => Promise<CachedResponse>;

interface CacheLimits {
  maxEntries: number;
  /** Of all texts together, with room for their encodings. */
  maxBytes: number;
}

interface Entry {
  response: CachedResponse;
  contentHash: string;
  version: number;
  renderedAt: number;
  staleUntil: number;
  bytes: number;
}

/** A rendering under way. */
interface Flight {
  contentHash: string;
  entry: Promise<Entry>;
}

/**
 * Keeps the most recently used responses, keyed by content: a new version costs reading the content, and only changed
 * content is rendered again, once for everybody who asks meanwhile (single flight). What fails is not kept.
 * @param now a monotonic clock, in ms
 */
export function createResponseCache({ maxEntries, maxBytes }: CacheLimits, now = () => performance.now()): GetResponse {
  const entries = new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });
  const flights = new Map<string, Flight>();

  const isCurrent = (entry: Entry, version: number) => entry.version === version || now() < entry.staleUntil;

  async function refresh(source: Source): Promise<Entry> {
    const { key, maxStale = 0 } = source;
    const version = source.version();
    const readAt = now();
    const { hash, render } = await source.content();
    const cached = entries.get(key);
    if (cached?.contentHash === hash) {
      cached.version = version;
      return cached;
    }
    const flight = flights.get(key);
    if (flight?.contentHash === hash) return flight.entry;
    const isChangingOften = cached !== undefined && readAt - cached.renderedAt < maxStale;
    const about = {
      contentHash: hash,
      version,
      renderedAt: readAt,
      staleUntil: isChangingOften ? readAt + maxStale : 0,
    };
    return fly(key, hash, createEntry(source, render(), about));
  }

  async function fly(key: string, contentHash: string, rendering: Promise<Entry>): Promise<Entry> {
    const flight = { contentHash, entry: rendering };
    flights.set(key, flight);
    try {
      const entry = await rendering;
      entries.set(key, entry);
      return entry;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
    }
  }

  async function createEntry(
    { contentType, version }: Source,
    rendering: Rendering | Promise<Rendering>,
    about: Omit<Entry, "response" | "bytes">,
  ): Promise<Entry> {
    const { text, policy, hash } = await rendering;
    const bytes = Buffer.from(text);
    const entry: Entry = {
      ...about,
      bytes: 2 * bytes.length + 1,
      response: {
        contentType,
        policy,
        hash: hash ?? digestOf(policy === undefined ? bytes : digestOf(bytes) + policy),
        body: createEncodedBody(bytes),
        isCurrent: () => isCurrent(entry, version()),
      },
    };
    return entry;
  }

  return async function getResponse(source) {
    const cached = entries.get(source.key);
    if (cached && isCurrent(cached, source.version())) return cached.response;
    if (!cached && !flights.has(source.key)) source.admit?.();
    return (await refresh(source)).response;
  };
}
