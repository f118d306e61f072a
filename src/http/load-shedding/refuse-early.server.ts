import type { IncomingMessage, RequestListener } from "node:http";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import type { RecordRequest } from "../observability/record-requests.server.ts";
import { type RefusalError, refuseLater } from "./refusal.server.ts";

interface RefuseEarlyOptions {
  /** Such requests are not counted: a page of another site caused them in a visitor's browser. */
  refusalOfForeign: (request: IncomingMessage) => RefusalError | null;
  countRequest: CountRequest;
  recordRequest: RecordRequest;
  refusalOf: (request: IncomingMessage, wait: number) => RefusalError;
  tooLong: RefusalError;
  /** The shortest delay of a refusal, in ms. */
  refusalDelay?: number;
}

/** Logged in place of the path, which may have a secret. */
const ANY = "/*";

/** In bytes as spelled, for path and query each: routing and parsing read them often. */
const MAX_URL_PART = 2_048;

/**
 * Refuses a URL that is too long, and a client over the limit of all requests, before any work. The client gets
 * its refusal late, so that its pipelined requests delay no other client (docs/product.md §8.6, §8.13, §8.14).
 */
export function refuseEarly(listener: RequestListener, options: RefuseEarlyOptions): RequestListener {
  const { refusalOfForeign, countRequest, recordRequest, refusalOf, tooLong, refusalDelay = 1_000 } = options;

  function findRefusal(request: IncomingMessage): RefusalError | null {
    const foreign = refusalOfForeign(request);
    if (foreign) return foreign;
    const wait = countRequest(request);
    if (wait > 0) return refusalOf(request, wait);
    return isTooLong(request.url ?? "") ? tooLong : null;
  }

  return function refuseOrForward(request, response) {
    const refusal = findRefusal(request);
    if (!refusal) return listener(request, response);
    const { status } = refusal;
    refuseLater(request, response, refusal, refusal === tooLong ? 0 : refusalDelay);
    recordRequest(
      { method: request.method ?? "", path: ANY, route: ANY, status, refused: status === 503 },
      0,
    );
  };
}

function isTooLong(url: string): boolean {
  const path = url.indexOf("?");
  return path === -1 ? url.length > MAX_URL_PART : Math.max(path, url.length - path - 1) > MAX_URL_PART;
}
