import type { IncomingMessage, RequestListener } from "node:http";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import type { RecordRequest } from "../observability/record-requests.server.ts";
import { type BusyPageError, refuseLater } from "./busy-page.server.ts";

interface LimitClientsOptions {
  countRequest: CountRequest;
  recordRequest: RecordRequest;
  refusalOf: (request: IncomingMessage, wait: number) => BusyPageError;
  /** The shortest delay of a refusal, in ms. */
  refusalDelay?: number;
}

/** In place of the path, which may have a secret. */
const ANY = "/*";

/**
 * Refuses a client over the limit of all its requests before any work, and late, so that pipelined requests
 * make nobody else wait (docs/product.md §8.6).
 */
export function limitClients(
  listener: RequestListener,
  { countRequest, recordRequest, refusalOf, refusalDelay = 1_000 }: LimitClientsOptions,
): RequestListener {
  return function limitClient(request, response) {
    const wait = countRequest(request);
    if (wait === 0) return listener(request, response);
    const refusal = refusalOf(request, wait);
    const { status } = refusal;
    refuseLater(request, response, refusal, refusalDelay);
    recordRequest(
      { method: request.method ?? "", path: ANY, route: ANY, status, refused: status === 503 },
      0,
    );
  };
}
