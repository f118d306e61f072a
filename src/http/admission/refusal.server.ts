import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";

interface RefusalPage {
  message: string;
  html: string;
  headers: Record<string, string>;
}

const codes = { 403: "cross_site", 414: "uri_too_long", 429: "rate_limited", 503: "unavailable" };

/** Sent as a page that needs no rendering (docs/product.md §8.6, §8.7). */
export class RefusalError extends Error {
  override name = "RefusalError";
  readonly status: keyof typeof codes;
  readonly headers: Record<string, string>;
  readonly html: string;

  constructor(status: keyof typeof codes, { message, html, headers }: RefusalPage) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.html = html;
  }
}

/** Waits `delay` to twice that, in ms, so that clients retry neither soon nor together. Browsers get the page. */
export function refuseLater(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: RefusalError,
  delay: number,
) {
  setTimeout(sendRefusal, delay * (1 + Math.random()), request, response, refusal);
}

function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: RefusalError): void {
  const { status, headers, html, message } = refusal;
  if (request.headers.accept?.includes("text/html")) {
    response.writeHead(status, headers).end(html);
    return;
  }
  const body = { code: codes[status], message };
  response.writeHead(status, { ...headers, "Content-Type": "application/json" }).end(JSON.stringify(body));
}

/** Whether load was shed. */
export function wasRefused({ error }: Context): boolean {
  return error instanceof RefusalError && error.status === 503;
}
