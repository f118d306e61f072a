import { PAGE_SIZE, type ShowPage, showPage, YEAR } from "../domain/show.ts";
import { type ShowQuery, writeShowQuery } from "../domain/show-query.ts";

interface LoadOptions {
  fetch: typeof fetch;
  clientKey: string;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
  reportError: (what: string, error: unknown) => void;
  /** Resolves after so many ms; rejects with the signal's reason when it aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The longest that somebody is made to wait for the list, in ms, whatever the server asks for. */
const LONGEST_WAIT = 10_000;

/**
 * The asked page of the list. When the request for shows with their tallies fails, shows alone are asked for; when that
 * fails too the list is empty (docs/product.md §8.3, §8.4). Every failure is reported. A server that has too much to do says when to come
 * again: it is asked no sooner.
 * @throws the signal's reason when it aborts: that is no failure
 */
export async function loadShows(query: ShowQuery, options: LoadOptions): Promise<ShowPage> {
  const withReviews = writeShowQuery(query);
  try {
    return await requestShows(withReviews, options);
  } catch (error) {
    options.signal.throwIfAborted();
    options.reportError("Shows could not be loaded with their reviews:", error);
    if (error instanceof BusyError) await (options.wait ?? waitAbout)(error.retryAfter, options.signal);
  }
  try {
    return await requestShows(new URLSearchParams([...withReviews, ["reviews", "none"]]), options);
  } catch (error) {
    options.signal.throwIfAborted();
    options.reportError("Shows could not be loaded:", error);
  }
  return { year: YEAR, page: 1, page_size: PAGE_SIZE, total: 0, shows: [] };
}

async function requestShows(params: URLSearchParams, { fetch, clientKey, signal }: LoadOptions): Promise<ShowPage> {
  const response = await fetch(`/api/shows?${params}`, { headers: { apikey: clientKey }, signal });
  if (!response.ok) throw refusalOf(response);
  return showPage.parse(await response.json());
}

function refusalOf({ status, headers }: Response): Error {
  const what = `GET /api/shows answered ${status}`;
  const seconds = Number(headers.get("Retry-After"));
  return seconds > 0 ? new BusyError(what, Math.min(seconds * 1000, LONGEST_WAIT)) : new Error(what);
}

/** The server has too much to do; `retryAfter` is in ms. */
class BusyError extends Error {
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Up to half as long again: whoever was refused at the same time does not come back at the same time. */
function waitAbout(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    setTimeout(resolve, ms * (1 + Math.random() / 2));
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
