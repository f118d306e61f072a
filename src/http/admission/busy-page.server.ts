import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Context } from "hono";
import type { ApiError } from "../../domain/api-error.ts";

/** `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER = 5;

const reasons = {
  429: "Too many requests came from your network.",
  503: "Front Row is very busy.",
};

/** The site's colours and type. Nothing is loaded with a page that is sent because there are too many requests. */
const style = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { max-width: 32rem; margin: 0 auto; padding: 8vh 1rem; background: #faf6ee; color: #231d18 }
h1 { margin: 0; font: 400 2.75rem/1.1 "Iowan Old Style", Palatino, serif }
h1 span { color: #5b2a86; font-style: italic }
a { color: inherit }
p a { display: inline-block; padding: .625rem 1.25rem; border: 1px solid #8b7f70; border-radius: 2px; font-weight: 600; text-decoration: none }
a:focus-visible { outline: 3px solid #5b2a86; outline-offset: 3px }
footer { display: flex; gap: 1.5rem; margin-top: 3rem; font-size: .875rem }
footer a { padding: .75rem 0 }
@media (prefers-color-scheme: dark) {
body { background: #171310; color: #f1eadf }
h1 span { color: #cbabf2 }
a:focus-visible { outline-color: #cbabf2 }
}
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Thrown in place of a page; sent as a small page that needs no rendering (docs/product.md §8.6, §8.7). */
export class BusyPageError extends Error {
  override name = "BusyPageError";
  readonly status: 429 | 503;
  readonly headers: Record<string, string>;
  readonly html: string;

  /** @param retryAfter in seconds */
  constructor(status: 429 | 503, retryAfter: number) {
    super(`${reasons[status]} Please try again in a moment.`);
    this.status = status;
    this.headers = {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Retry-After": String(retryAfter),
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    };
    this.html = `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Please try again in a moment - Front Row</title>
<style>${style}</style>
<h1>Front Row<span>?</span></h1>
<p>${this.message}</p>
<p><a href="">Try again</a></p>
<footer><a href="/terms">Terms</a> <a href="/privacy">Privacy</a></footer>
</html>
`;
  }
}

const codes = { 429: "rate_limited", 503: "unavailable" };

/**
 * Refuses a request before the app, after `delay` to twice that, in ms: clients that retry at once do so
 * slowly, and those that were refused together come back one by one. Browsers get the page, programs
 * `{ code, message }`.
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

/** The page for overload. */
export const busyPage = new BusyPageError(503, RETRY_AFTER);

/**
 * Whether a request was refused because of overload. Refusals have their own counter and do not count as
 * failures.
 */
export function wasRefused({ error }: Context): boolean {
  return error === busyPage;
}
