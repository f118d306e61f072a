import { PAGE_SIZE, type ShowPage, showPage, YEAR } from "../domain/show.ts";
import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { pastSharedCaches } from "../ui/own-review-time-client.ts";

interface LoadOptions {
  fetch: typeof fetch;
  clientKey: string;
  /** Aborts when the navigation is superseded. */
  signal: AbortSignal;
  reportError: (message: string, error: unknown) => void;
  /** Resolves after a delay in ms. Rejects with the signal's reason when it aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The longest `Retry-After` that is respected, in ms: visitors should not wait longer for the list. */
const MAX_RETRY_AFTER = 10_000;

/**
 * Loads one page of the list. When the request for shows with tallies fails, it requests shows alone, no
 * sooner than `Retry-After` says; when that fails too, the list is empty (docs/product.md §8.3, §8.4).
 * Failures are reported.
 * @throws the signal's reason when it aborts, which is not reported
 */
export async function loadShows(query: ShowQuery, options: LoadOptions): Promise<ShowPage> {
  const withReviews = formatShowQuery(query);
  try {
    return await requestShows(withReviews, options);
  } catch (error) {
    options.signal.throwIfAborted();
    options.reportError("Shows could not be loaded with their reviews:", error);
    if (error instanceof BusyError) await (options.wait ?? waitWithJitter)(error.retryAfter, options.signal);
  }
  try {
    return await requestShows(new URLSearchParams([...withReviews, ["reviews", "none"]]), options);
  } catch (error) {
    options.signal.throwIfAborted();
    options.reportError("Shows could not be loaded:", error);
  }
  return { year: YEAR, page: 1, page_size: PAGE_SIZE, total: 0, shows: [] };
}

async function requestShows(
  params: URLSearchParams,
  { fetch, clientKey, signal }: LoadOptions,
): Promise<ShowPage> {
  const response = await fetch(`/api/shows?${pastSharedCaches(params)}`, {
    headers: { apikey: clientKey },
    signal,
  });
  if (!response.ok) throw toError(response);
  return showPage.parse(await response.json());
}

function toError({ status, headers }: Response): Error {
  const message = `GET /api/shows responded with ${status}`;
  const seconds = Number(headers.get("Retry-After"));
  return seconds > 0 ? new BusyError(message, Math.min(seconds * 1000, MAX_RETRY_AFTER)) : new Error(message);
}

/** The server is overloaded or rate limits the client. `retryAfter` is in ms. */
class BusyError extends Error {
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Adds up to 50 % of jitter, so that clients refused together do not retry together. */
function waitWithJitter(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    setTimeout(resolve, ms * (1 + Math.random() / 2));
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
