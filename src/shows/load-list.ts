import { rethrowProgrammingError } from "../browser/programming-error.ts";
import { type ApiRequest, ApiRequestError, withTimeLimit } from "../browser/requests/api-request-client.ts";
import type { NotesPage, ShowNotes } from "../domain/notes-dto.ts";
import { PAGE_SIZE, YEAR } from "../domain/programme.ts";
import type { Interaction, Tallies } from "../domain/review.ts";
import type { ShowPage } from "../domain/show.ts";
import { formatShowQuery, parseShowQuery, type ShowQuery } from "../domain/show-query.ts";
import { hasMembers } from "../lib/has-members.ts";
import { listUrl } from "./list-url.ts";

/** The data of the list's screen, from the server or found by the browser. */
export interface FoundList {
  query: ShowQuery;
  list: ShowPage;
  /** On the page of one show, unless they cannot be read. */
  notes?: Readonly<Record<string, ShowNotes>> | undefined;
  notesPage?: NotesPage | undefined;
  reportMessage?: string | undefined;
}

/** `unreachable`: no response of the site. `refused`: an error response. `limited`: too many requests. */
export type LoadFailure = "unreachable" | "refused" | "limited";

export interface LoadedList extends FoundList {
  /** The list is an earlier one, or empty. */
  failure?: LoadFailure;
  /** In ms: how long to wait before the next try, if the response says so. */
  retryAfter?: number;
  /** In ms since 1970: when an earlier list was loaded. */
  seenAt?: number;
  /** The network is to be asked as soon as this list is on screen. */
  isUnasked?: boolean;
}

interface SeenList {
  list: ShowPage;
  /** When it was loaded, in ms since 1970. */
  seenAt: number;
}

interface Sources {
  /** The list of the page that the server sent, unless the page was saved. */
  first?: FoundList | undefined;
  request: ApiRequest;
  loadNotesPage: (
    showId: string,
    interaction: Interaction,
    page: number,
    signal: AbortSignal,
  ) => Promise<NotesPage>;
  saved: {
    /** Whether this page was saved; only the first call returns true. */
    takeMark(): boolean;
    hasList(): Promise<boolean>;
    find(
      query: ShowQuery,
      talliesSince: (time: number) => [showId: string, Tallies][],
    ): Promise<SeenList | undefined>;
  };
  /** In ms. Rejects with the signal's reason when it aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const emptyList: ShowPage = { year: YEAR, page: 1, page_size: PAGE_SIZE, total: 0, shows: [] };

/** In ms. Visitors with a saved list need not wait longer for a slow network. */
const TIME_LIMIT = 8_000;

/** In ms: visitors should not wait longer for the list. */
const MAX_RETRY_AFTER = 10_000;

export function createListLoader({ first, request, loadNotesPage, saved, wait = waitWithJitter }: Sources) {
  const seen = createSeenLists();
  if (first) seen.remember(first.query, first.list);
  /** The last URL, if it failed. */
  let failed: { url: string; failure: LoadFailure } | undefined;

  /**
   * Asks the network. After another URL has failed, or on a saved page, a saved list comes first (docs/product.md
   * §14.3). @throws the signal's reason when it aborts, and a programming error
   */
  return async function loadList({ url, signal }: Pick<Request, "url" | "signal">): Promise<LoadedList> {
    const query = parseShowQuery(new URL(url).searchParams);
    const failure = saved.takeMark() ? "unreachable" : failed?.url !== url && failed?.failure;
    if (failure) {
      failed = { url, failure };
      if (await saved.hasList()) {
        const earlier = (await findEarlier(query)) ?? { list: emptyList };
        return { query, ...earlier, failure, isUnasked: true };
      }
    }
    const found = await loadShows(query, signal);
    failed = found.failure && { url, failure: found.failure };
    if (found.failure) return { query, ...found };
    const loaded = { query, ...found, ...(await findNotes(query, found.list, signal)) };
    if (!loaded.failure) seen.remember(query, loaded.list);
    return loaded;
  };

  /** The newer of the list that this tab has seen and the one that this browser has saved. */
  async function findEarlier(query: ShowQuery): Promise<SeenList | undefined> {
    const ofTab = query.notes ? undefined : seen.recall(query);
    const ofBrowser = await saved.find(query, seen.talliesSince);
    return ofBrowser && ofBrowser.seenAt > (ofTab?.seenAt ?? 0) ? ofBrowser : ofTab;
  }

  /**
   * Requests shows with tallies. If that fails, the list is an earlier one. Without one, requests shows alone, no
   * sooner than `Retry-After`. If that fails too, the list is empty (docs/product.md §8.3, §8.4, §8.11).
   */
  async function loadShows(query: ShowQuery, signal: AbortSignal): Promise<Omit<LoadedList, "query">> {
    const timeLimit = (await saved.hasList()) ? TIME_LIMIT : undefined;
    const load = async (params: URLSearchParams) => ({
      list: await requestShows(request, params, withTimeLimit(signal, timeLimit)),
    });
    const withReviews = formatShowQuery(query);
    try {
      return await load(withReviews);
    } catch (error) {
      signal.throwIfAborted();
      console.error("Shows could not be loaded with their reviews:", error);
      rethrowProgrammingError(error);
      const failed = failureOf(error);
      const earlier = await findEarlier(query);
      if (earlier) return { ...earlier, ...failed };
      if (failed.retryAfter) await wait(Math.min(failed.retryAfter, MAX_RETRY_AFTER), signal);
    }
    try {
      return await load(new URLSearchParams([...withReviews, ["reviews", "none"]]));
    } catch (error) {
      signal.throwIfAborted();
      console.error("Shows could not be loaded:", error);
      return { list: emptyList, ...failureOf(error) };
    }
  }

  /** If the query's page of notes cannot be loaded, the list has failed. */
  async function findNotes({ notes, page }: ShowQuery, { shows: [show] }: ShowPage, signal: AbortSignal) {
    if (!notes || !show) return {};
    try {
      return { notesPage: await loadNotesPage(show.id, notes, page, signal) };
    } catch (error) {
      signal.throwIfAborted();
      console.error("Notes could not be loaded:", error);
      rethrowProgrammingError(error);
      return { list: emptyList, ...failureOf(error) };
    }
  }
}

const MAX_SEEN = 20;

/** The last lists of this tab (docs/product.md §8.11), by URL. */
function createSeenLists() {
  const seen = new Map<string, SeenList>();
  return {
    /** Leaves out lists without tallies: they would hide earlier tallies. */
    remember(query: ShowQuery, list: ShowPage): void {
      if (list.shows.some(({ reviews }) => !reviews)) return;
      const url = listUrl(query);
      seen.delete(url);
      seen.set(url, { list, seenAt: Date.now() });
      const [oldest] = seen.keys();
      if (seen.size > MAX_SEEN && oldest !== undefined) seen.delete(oldest);
    },
    recall: (query: ShowQuery) => seen.get(listUrl(query)),
    /** Of several tallies of a show, the last is the newest. @param time in ms since 1970 */
    talliesSince: (time: number): [showId: string, Tallies][] =>
      [...seen.values()].flatMap(({ list, seenAt }) =>
        list.shows.flatMap(({ id, reviews }) => (reviews && seenAt > time ? [[id, reviews]] : [])),
      ),
  };
}

/** Any 5xx counts as the site's: a gateway answers for a site that is stopped. */
function failureOf(error: unknown): Pick<LoadedList, "failure" | "retryAfter"> {
  if (!(error instanceof ApiRequestError)) return { failure: "unreachable" };
  const { status, code, retryAfter } = error;
  const isPortal = code === undefined && (status < 500 || status === 511);
  const failure = status === 429 ? "limited" : isPortal ? "unreachable" : "refused";
  return { failure, retryAfter };
}

async function requestShows(request: ApiRequest, params: URLSearchParams, signal: AbortSignal) {
  const list = await request(`/api/shows?${params}`, { signal });
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
