import { type ShowQuery, writeShowQuery } from "./query.ts";
import { readShowPage } from "./read-show-page.ts";
import { PAGE_SIZE, type ShowPage, YEAR } from "./show.ts";

interface LoadOptions {
  fetch: typeof fetch;
  clientKey: string;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
  reportError: (what: string, error: unknown) => void;
}

/**
 * The asked page of the list. When the request for shows with their tallies fails, shows alone are asked for; when that
 * fails too the list is empty (specification §7). Every failure is reported.
 * @throws the signal's reason when it aborts: that is no failure
 */
export async function loadShows(query: ShowQuery, options: LoadOptions): Promise<ShowPage> {
  const withReviews = writeShowQuery(query);
  try {
    return await requestShows(withReviews, options);
  } catch (error) {
    options.signal.throwIfAborted();
    options.reportError("Shows could not be loaded with their reviews:", error);
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
  if (!response.ok) throw new Error(`GET /api/shows answered ${response.status}`);
  return readShowPage(await response.json());
}
