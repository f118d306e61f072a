import { rethrowProgrammingError } from "../browser/programming-error.ts";
import { type ApiRequest, ApiRequestError, withTimeLimit } from "../browser/requests/api-request-client.ts";
import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { ShowPage } from "../domain/show.ts";
import { formatShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { hasMembers } from "../lib/has-members.ts";
import type { SeenList } from "./seen-lists-client.ts";

interface LoadOptions {
  request: ApiRequest;
  signal: AbortSignal;
  /** Finds an earlier version of the list. */
  findEarlier?: () => Promise<SeenList | undefined>;
  /** The time limit of a request, in ms. */
  timeLimit?: number | undefined;
  /** In ms. Rejects with the signal's reason when it aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** `unreachable`: no response of the site. `refused`: an error response. `limited`: too many requests. */
export type LoadFailure = "unreachable" | "refused" | "limited";

interface LoadedShows {
  list: ShowPage;
  /** In ms since 1970: when an earlier list was loaded. */
  seenAt?: number;
  failure?: LoadFailure;
}

export const emptyList: ShowPage = { year: YEAR, page: 1, page_size: PAGE_SIZE, total: 0, shows: [] };

/** In ms: visitors should not wait longer for the list. */
const MAX_RETRY_AFTER = 10_000;

/**
 * Requests shows with tallies. If that fails, the list is an earlier one. Without one, requests shows alone, no sooner
 * than `Retry-After`. If that fails too, the list is empty (docs/product.md §8.3, §8.4, §8.11).
 * @throws the signal's reason when it aborts, and a programming error
 */
export async function loadShows(query: ShowQuery, options: LoadOptions): Promise<LoadedShows> {
  const withReviews = formatShowQuery(query);
  try {
    return { list: await requestShows(withReviews, options) };
  } catch (error) {
    options.signal.throwIfAborted();
    console.error("Shows could not be loaded with their reviews:", error);
    rethrowProgrammingError(error);
    const earlier = await options.findEarlier?.();
    if (earlier) return { ...earlier, failure: failureOf(error) };
    const wait = error instanceof ApiRequestError ? Math.min(error.retryAfter, MAX_RETRY_AFTER) : 0;
    if (wait > 0) await (options.wait ?? waitWithJitter)(wait, options.signal);
  }
  try {
    return { list: await requestShows(new URLSearchParams([...withReviews, ["reviews", "none"]]), options) };
  } catch (error) {
    options.signal.throwIfAborted();
    console.error("Shows could not be loaded:", error);
    return { list: emptyList, failure: failureOf(error) };
  }
}

/** Any 5xx counts as the site's: a gateway answers for a site that is stopped. */
export function failureOf(error: unknown): LoadFailure {
  if (!(error instanceof ApiRequestError)) return "unreachable";
  const { status, code } = error;
  if (status === 429) return "limited";
  const isPortal = code === undefined && (status < 500 || status === 511);
  return isPortal ? "unreachable" : "refused";
}

async function requestShows(params: URLSearchParams, { request, signal, timeLimit }: LoadOptions) {
  const list = await request(`/api/shows?${params}`, { signal: withTimeLimit(signal, timeLimit) });
  if (!isShowPage(list)) throw new Error("The response is not the API's");
  return list;
}

/** False for the page of a captive portal. */
function isShowPage(body: unknown): body is ShowPage {
  return hasMembers(body, "page", "page_size", "total", "shows") && Array.isArray(body.shows);
}

/** Jitter: clients that were refused together must not retry together. */
function waitWithJitter(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    setTimeout(resolve, ms * (1 + Math.random() / 2));
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
