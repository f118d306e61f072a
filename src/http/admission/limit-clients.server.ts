import type { RequestListener } from "node:http";
import type { CountRequest } from "../clients/rate-limit.server.ts";
import type { RecordRequest } from "../observability/record-requests.server.ts";
import { BusyPageError, refuseLater } from "./busy-page.server.ts";

interface LimitClientsOptions {
  countRequest: CountRequest;
  recordRequest: RecordRequest;
  /** How long a refusal is delayed at least, in ms. */
  refusalDelay?: number;
}

/** Refreshes sessions. auth-js takes 429 for the end of the session (docs/product.md §6.12). */
const tokenPath = /^\/auth\/v1\/token(\?|$)/;

/**
 * Refuses a client over the limit of all its requests before anything is done for them, and late, so that
 * pipelined requests on many connections make nobody else wait (docs/product.md §8.6).
 */
export function limitClients(
  listener: RequestListener,
  { countRequest, recordRequest, refusalDelay = 1_000 }: LimitClientsOptions,
): RequestListener {
  return async function limitClient(request, response) {
    const wait = await countRequest(request);
    if (wait === 0) return listener(request, response);
    const { method = "", url: path = "" } = request;
    const status = tokenPath.test(path) ? 503 : 429;
    refuseLater(request, response, new BusyPageError(status, wait), refusalDelay);
    recordRequest(
      { method, path: path.replace(/\?.*/, ""), route: "/*", status, refused: status === 503 },
      0,
    );
  };
}
