import type { Context } from "hono";

/** What is sent to somebody who opens a page when it cannot be made now. */
export interface BusyPage {
  status: 429 | 503;
  headers: Record<string, string>;
  html: string;
}

/** How soon to come again when there was too much to do, in seconds. */
export const RETRY_AFTER = 5;

const reasons = {
  429: "Too many requests came from your network.",
  503: "Front Row is very busy.",
};

/**
 * A whole small page that costs nothing to make.
 * @param retryAfter when to try again, in seconds
 */
export function busyPage(status: 429 | 503, retryAfter: number): BusyPage {
  const html = `<!doctype html>
<html lang="en-GB">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Please try again in a moment - Front Row</title>
<h1>Front Row?</h1>
<p>${reasons[status]} Please try again in a moment.</p>
<p><a href="">Try again</a></p>
</html>
`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "Retry-After": String(retryAfter),
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  };
  return { status, headers, html };
}

/** To be thrown where a page was to be made. */
export class BusyPageError extends Error {
  override name = "BusyPageError";
  readonly page: BusyPage;

  constructor(status: BusyPage["status"], retryAfter: number) {
    super(reasons[status]);
    this.page = busyPage(status, retryAfter);
  }
}

/** Whether a request was answered that there is too much to do: those are counted by themselves, and are no failures. */
export function wasRefused({ error }: Context): boolean {
  return error instanceof BusyPageError && error.page.status === 503;
}
