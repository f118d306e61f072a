import { hasMembers } from "../../lib/has-members.ts";
import { parseRetryAfter } from "../../lib/responses.ts";
import { fromNetwork } from "../programming-error.ts";

/** Null for a response without content. @throws for any error response */
export type ApiRequest = (path: string, init?: RequestInit & { token?: string }) => Promise<unknown>;

/** Dispatches `success` after each request that succeeded: the network works, and leads to the site. */
export const apiRequests = new EventTarget();

export function createApiRequest(fetch: typeof globalThis.fetch, clientKey: () => string): ApiRequest {
  return async (path, { token, ...init } = {}) => {
    const headers = new Headers(init.headers);
    headers.set("apikey", clientKey());
    if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
    const response = await fromNetwork(fetch(path, { ...init, headers }));
    if (!response.ok) throw new ApiRequestError(response, await response.json().catch(() => null));
    const body = response.status === 204 ? null : await fromNetwork(response.json());
    apiRequests.dispatchEvent(new Event("success"));
    return body;
  };
}

/** Empty for an error that is not the API's. */
export function errorCodeOf(error: unknown): string {
  return (error instanceof ApiRequestError && error.code) || "";
}

/** `code` is undefined if a proxy or a captive portal has sent the response. */
export class ApiRequestError extends Error {
  override readonly name = "ApiRequestError";
  readonly code: string | undefined;
  readonly status: number;
  /** In ms; 0 if the response does not say. */
  readonly retryAfter: number;

  constructor({ status, headers }: Response, body: unknown) {
    const isApiError = hasMembers(body, "code", "message");
    super(isApiError ? String(body.message) : `The server responded with ${status}`);
    this.code = isApiError ? String(body.code) : undefined;
    this.status = status;
    this.retryAfter = parseRetryAfter(headers.get("Retry-After"));
  }
}

/** In ms: longer than any working network needs. */
const REQUEST_TIMEOUT = 15_000;

/** `AbortSignal.timeout` and `AbortSignal.any` are newer than the oldest browsers. @param limit in ms */
export function withTimeLimit(signal?: AbortSignal | null, limit = REQUEST_TIMEOUT): AbortSignal {
  const either = new AbortController();
  const abort = () => either.abort();
  setTimeout(abort, limit);
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  return either.signal;
}
