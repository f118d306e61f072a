import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { digestOf } from "../../lib/hash.server.ts";

export type Encoding = "br" | "gzip" | "identity";

type Bytes = Uint8Array<ArrayBuffer>;

type EncodedBody = (encoding: Encoding) => Promise<Bytes>;

export interface Rendering {
  text: string;
  hash?: string;
}

export interface Content {
  /** Equal hashes mean equal content: an earlier rendering is still valid. */
  hash: string;
  render: () => Rendering | Promise<Rendering>;
}

/** Belongs to one request. The cache must not keep it, because it may hold the client's address. */
export interface Source {
  key: string;
  /** The requests of one client wait for one rendering. Another client's turn to render may come earlier. */
  client?: string;
  content: () => Content | Promise<Content>;
  /** Called before a cache miss is rendered. Rejects to refuse. */
  onMiss?: () => Promise<void>;
  /** @param isMiss false if there is an earlier rendering */
  inTurn?: <T>(render: () => Promise<T>, isMiss: boolean) => Promise<T>;
}

interface ResponseCacheOptions {
  maxEntries: number;
  maxBytes: number;
  contentType: string;
  /** Changes when content may have changed. Until then, no content is read. */
  version: () => number;
  /**
   * In ms. How long a response may be stale while its content changes faster than that. A single change shows
   * at once (docs/product.md §2.19).
   */
  maxStale?: number;
  brotliQuality?: number;
  now?: () => number;
}

export interface CachedResponse {
  contentType: string;
  /** A digest of the text. */
  hash: string;
  body: EncodedBody;
  isCurrent: () => boolean;
}

export function createConstantResponse(
  contentType: string,
  text: Buffer<ArrayBuffer>,
  compressed: Iterable<readonly [Encoding, Promise<Bytes>]> = [],
): CachedResponse {
  const body = createEncodedBody(text, compressed);
  return { contentType, hash: digestOf(text), body, isCurrent: () => true };
}

interface Entry {
  response: CachedResponse;
  contentHash: string;
  version: number;
  renderedAt: number;
  staleUntil: number;
  bytes: number;
}

/**
 * An LRU cache. After a new version it reads the content, and renders it only if it changed, in a single flight.
 * Failures are not cached.
 */
export function createResponseCache({
  maxEntries,
  maxBytes,
  contentType,
  version: currentVersion,
  maxStale = 0,
  brotliQuality,
  now = () => performance.now(),
}: ResponseCacheOptions) {
  const entries = new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  });
  const flights = new Map<string, { contentHash: string; entry: Promise<Entry> }>();

  const isCurrent = ({ version, staleUntil }: Entry) => version === currentVersion() || now() < staleUntil;

  async function refresh({ key, client, content, inTurn = (render) => render() }: Source): Promise<Entry> {
    const version = currentVersion();
    const readAt = now();
    const { hash, render } = await content();
    const cached = entries.get(key);
    if (cached?.contentHash === hash) {
      cached.version = version;
      return cached;
    }
    const flightKey = flightKeyOf(key, client);
    const flight = flights.get(flightKey);
    if (flight?.contentHash === hash) return flight.entry;
    const isChurning = cached !== undefined && readAt - cached.renderedAt < maxStale;
    const metadata = {
      contentHash: hash,
      version,
      renderedAt: readAt,
      staleUntil: isChurning ? readAt + maxStale : 0,
    };
    const renderUnlessDone = async () => {
      const done = entries.get(key);
      return done?.contentHash === hash ? done : createEntry(render(), metadata);
    };
    const started = { contentHash: hash, entry: inTurn(renderUnlessDone, cached === undefined) };
    flights.set(flightKey, started);
    try {
      const entry = await started.entry;
      entries.set(key, entry);
      return entry;
    } finally {
      if (flights.get(flightKey) === started) flights.delete(flightKey);
    }
  }

  async function createEntry(
    rendering: Rendering | Promise<Rendering>,
    metadata: Omit<Entry, "response" | "bytes">,
  ): Promise<Entry> {
    const { text, hash } = await rendering;
    const bytes = Buffer.from(text);
    const entry: Entry = {
      ...metadata,
      bytes: 2 * bytes.length + 1,
      response: {
        contentType,
        hash: hash ?? digestOf(bytes),
        body: createEncodedBody(bytes, [], brotliQuality),
        isCurrent: () => isCurrent(entry),
      },
    };
    return entry;
  }

  return async function getResponse(source: Source): Promise<CachedResponse> {
    const cached = entries.get(source.key);
    if (cached && isCurrent(cached)) return cached.response;
    if (!cached && source.onMiss && !flights.has(flightKeyOf(source.key, source.client)))
      await source.onMiss();
    return (await refresh(source)).response;
  };
}

const flightKeyOf = (key: string, client = "") => `${client} ${key}`;

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

const BROTLI_QUALITY = 5;

function createEncodedBody(
  text: Buffer<ArrayBuffer>,
  compressed: Iterable<readonly [Encoding, Promise<Bytes>]> = [],
  brotliQuality = BROTLI_QUALITY,
): EncodedBody {
  const encoded = new Map(compressed);
  return function encode(encoding) {
    const body = encoded.get(encoding) ?? compress(text, encoding, brotliQuality);
    encoded.set(encoding, body);
    return body;
  };
}

async function compress(text: Buffer<ArrayBuffer>, encoding: Encoding, brotliQuality: number) {
  if (encoding === "br")
    return compressBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } });
  return encoding === "gzip" ? compressGzip(text) : text;
}
