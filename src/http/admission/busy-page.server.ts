import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { ApiError } from "../../domain/api-error.ts";

interface BusyPage {
  message: string;
  html: string;
  headers: Record<string, string>;
}

/** Thrown in place of a page; sent as a page that needs no rendering (docs/product.md §8.6, §8.7). */
export class BusyPageError extends Error {
  override name = "BusyPageError";
  readonly status: 429 | 503;
  readonly headers: Record<string, string>;
  readonly html: string;

  constructor(status: 429 | 503, retryAfter: number, { message, html, headers }: BusyPage) {
    super(message);
    this.status = status;
    this.headers = { ...headers, "Retry-After": String(retryAfter) };
    this.html = html;
  }
}

const codes = { 429: "rate_limited", 503: "unavailable" };

/**
 * Refuses a request after `delay` to twice that, in ms: clients that retry at once do so slowly, and not
 * together. Browsers get the page, programs `{ code, message }`.
 */
export function refuseLater(
  request: IncomingMessage,
  response: ServerResponse,
  page: BusyPageError,
  delay: number,
) {
  setTimeout(sendRefusal, delay * (1 + Math.random()), request, response, page);
}

function sendRefusal({ headers }: IncomingMessage, response: ServerResponse, page: BusyPageError): void {
  if (headers.accept?.includes("text/html")) {
    response.writeHead(page.status, page.headers).end(page.html);
    return;
  }
  const body: ApiError = { code: codes[page.status], message: page.message };
  response
    .writeHead(page.status, { ...page.headers, "Content-Type": "application/json" })
    .end(JSON.stringify(body));
}

/** Refusals because of overload have their own counter, and do not count as failures. */
export function wasRefused({ error }: Context): boolean {
  return error instanceof BusyPageError && error.status === 503;
}
