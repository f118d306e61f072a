import type { Context } from "hono";
import { markCacheable } from "./listener-cache.server.ts";
import type { CachedResponse, Encoding } from "./response-cache.server.ts";
import { cacheControlFor } from "./shared-caching.server.ts";

interface SendOptions {
  status?: 200 | 404;
  /** Only if the response depends on nothing but the key of the listener cache. */
  isCacheable?: boolean;
  /** Without it, caches revalidate the response each time (docs/product.md §9.8). */
  fileCaching?: string;
}

export async function sendCached(
  c: Context,
  cached: CachedResponse,
  { status = 200, isCacheable = false, fileCaching }: SendOptions = {},
): Promise<Response> {
  const encoding = chooseEncoding(c);
  const etag = `"${cached.hash}-${encoding}"`;
  c.header("Cache-Control", fileCaching ?? cacheControlFor(c));
  c.header("Vary", "Accept-Encoding");
  c.header("ETag", etag);
  if (status === 200 && matchesETag(c.req.header("If-None-Match"), etag)) {
    if (isCacheable) markCacheable(c, { body: null, isCurrent: cached.isCurrent });
    return c.body(null, 304);
  }
  const body = await cached.body(encoding);
  c.header("Content-Type", cached.contentType);
  c.header("Content-Length", String(body.length));
  if (encoding !== "identity") c.header("Content-Encoding", encoding);
  if (isCacheable) markCacheable(c, { body, isCurrent: cached.isCurrent });
  return c.body(body, status);
}

/** In characters. No browser sends more: a longer header is ignored. */
const MAX_ENCODINGS = 100;
const MAX_ETAGS = 300;

const brotli = /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;
const gzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** The smallest that the client accepts. Its preferences do not count. */
function chooseEncoding(c: Context): Encoding {
  const accepted = c.req.header("Accept-Encoding") ?? "";
  if (accepted.length > MAX_ENCODINGS) return "identity";
  if (brotli.test(accepted)) return "br";
  return gzip.test(accepted) ? "gzip" : "identity";
}

export function matchesETag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined || ifNoneMatch.length > MAX_ETAGS) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}
