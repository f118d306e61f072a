import type { IncomingMessage, RequestListener } from "node:http";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import type { RecordRequest } from "../observability/record-requests.server.ts";
import { type RefusalError, refuseLater } from "./refusal.server.ts";

interface RefuseEarlyOptions {
  /** Of what a page of another site causes in a visitor's browser: it is not counted. */
  refusalOfForeign: (request: IncomingMessage) => RefusalError | null;
  countRequest: CountRequest;
  recordRequest: RecordRequest;
  refusalOf: (request: IncomingMessage, wait: number) => RefusalError;
  tooLong: RefusalError;
  /** The shortest delay of a refused client, in ms. */
  refusalDelay?: number;
}

/** In place of the path, which may have a secret. */
const ANY = "/*";

/** Of a path, and of a query, in bytes as they are spelled: routing and parsing read each of them often. */
const MAX_URL_PART = 2_048;

/**
 * Refuses a URL that is too long, and a client over the limit of all its requests, before any work. The
 * client is refused late, so that pipelined requests make nobody else wait (docs/product.md §8.6, §8.13, §8.14).
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
