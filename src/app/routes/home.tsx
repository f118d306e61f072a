import { useCallback, useEffect } from "react";
import { type LoaderFunctionArgs, useLoaderData, useNavigation, useRevalidator } from "react-router";
import { SessionControl, useSignOut } from "../../auth/ui/session/session-control.tsx";
import { useAccounts, useSession } from "../../auth/ui/session/session-provider.tsx";
import { useSignIn } from "../../auth/ui/sign-in/use-sign-in.ts";
import { rethrowProgrammingError } from "../../browser/programming-error.ts";
import { createApiRequest } from "../../browser/requests/api-request-client.ts";
import { useRetry } from "../../browser/use-retry.ts";
import { useReturn } from "../../browser/use-return.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import type { ListedShow } from "../../domain/show.ts";
import { parseShowQuery, type ShowQuery, wholeList } from "../../domain/show-query.ts";
import { findInSavedList, hasSavedList } from "../../offline/saved-list.ts";
import { ShowReviews } from "../../reviews/card/show-reviews.tsx";
import { AllNotes } from "../../reviews/notes/all-notes.tsx";
import { loadNotesPage, loadNoteTotals } from "../../reviews/notes/load-notes-page.ts";
import { ReviewsProvider, useReviews } from "../../reviews/provider/reviews-provider.tsx";
import { ForWebsite } from "../../shows/badge/for-website.tsx";
import { Filters } from "../../shows/filters.tsx";
import { documentTitle, missingNotes, showTitle } from "../../shows/list-texts.ts";
import { listUrl } from "../../shows/list-url.ts";
import { emptyList, failureOf, type LoadFailure, loadShows } from "../../shows/load-shows-client.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { recallList, rememberList, talliesSince } from "../../shows/seen-lists-client.ts";
import { ShowResults } from "../../shows/show-results.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import type { FoundList } from "../found-list.ts";
import { Canonical, useSite } from "../site.tsx";

/** In ms. Visitors with an earlier list need not wait longer for a slow network. */
const TIME_LIMIT = 8_000;

/** The last URL without a response. Any other URL shows the saved list first, then asks the network. */
let unanswered: string | undefined;

/** Offline it shows an earlier or a saved list (docs/product.md §8.11, §14.3). */
export async function loadList({ request }: LoaderFunctionArgs): Promise<LoadedList> {
  const url = new URL(request.url);
  const query = parseShowQuery(url.searchParams);
  if (takeSavedMark() || (unanswered !== undefined && unanswered !== url.href)) {
    unanswered = url.href;
    if (await hasSavedList())
      return {
        query,
        list: emptyList,
        ...(await findEarlier(query)),
        failure: "unreachable",
        isUnasked: true,
      };
  }
  const { signal } = request;
  const loaded = await loadShows(query, {
    request: requestApi,
    signal,
    findEarlier: () => findEarlier(query),
    timeLimit: (await hasSavedList()) ? TIME_LIMIT : undefined,
  });
  unanswered = loaded.failure === "unreachable" ? url.href : undefined;
  if (loaded.failure) return { query, ...loaded };
  return { query, ...loaded, ...(await loadNotesOf(query, loaded.list.shows[0], signal)) };
}

/** The newer of the list that this tab has seen and the one that this browser has saved. */
async function findEarlier(query: ShowQuery) {
  const seen = query.notes ? undefined : recallList(query);
  const saved = await findInSavedList(query, talliesSince);
  return saved && saved.seenAt > (seen?.seenAt ?? 0) ? saved : seen;
}

/** Whether this page was saved; only the first call returns true. */
function takeSavedMark(): boolean {
  const { dataset } = document.documentElement;
  const isSaved = dataset.saved !== undefined;
  delete dataset.saved;
  return isSaved;
}

/** Loads the page of notes in the URL, or the totals. If that page cannot be loaded, the list has failed. */
async function loadNotesOf(
  { show: id, notes, page }: ShowQuery,
  show: ListedShow | undefined,
  signal: AbortSignal,
) {
  if (id === undefined || !show) return {};
  try {
    if (notes) return { notesPage: await loadNotesPage(requestApi, id, notes, page, signal) };
    return { noteTotals: await loadNoteTotals(requestApi, show, signal) };
  } catch (error) {
    signal.throwIfAborted();
    console.error("Notes could not be loaded:", error);
    rethrowProgrammingError(error);
    return notes && { list: emptyList, failure: failureOf(error) };
  }
}

interface LoadedList extends FoundList {
  failure?: LoadFailure | undefined;
  seenAt?: number;
  /** The network is asked after this list is on screen. */
  isUnasked?: boolean;
}

const loadDialogs = () => import("../dialogs.tsx");

const requestApi = createApiRequest((...args) => window.fetch(...args), clientKey);

/** Notes load after the list, unless they came with the page. */
const noNotes: NonNullable<FoundList["notes"]> = {};
const noTotals: NonNullable<FoundList["noteTotals"]> = {};

export default function HomePage() {
  const loaded = useLoaderData<typeof loadList>();
  const { query, list, notes = noNotes, notesPage, failure, seenAt, reportMessage } = loaded;
  const isShow = query.show !== undefined && (list.total > 0 || !failure);
  const { state, location: next } = useNavigation();
  const requested = next?.pathname === "/" ? parseShowQuery(new URLSearchParams(next.search)) : query;
  const { client, providers } = useAccounts();
  const signIn = useSignIn("header");
  const signOut = useSignOut();
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  // The list of a saved page is as old as the page, and is not remembered.
  useEffect(() => {
    if (!failure && document.documentElement.dataset.saved === undefined) rememberList(query, list);
  }, [query, list, failure]);
  const [isReloading, reload] = useReloads(loaded);
  const cardOf = useCard(loaded);
  return (
    <ReviewsProvider
      shows={list.shows}
      notes={notes}
      userId={userId}
      session={client}
      account={{ providers, signIn, signOut, forget: client.forget }}
      request={requestApi}
      loadDialogs={loadDialogs}
    >
      <PageLayout
        skipTo={list.total > list.page_size ? ["shows", "pages"] : ["shows"]}
        control={<HeaderControl />}
      >
        <title>
          {isShow ? showTitle(list, query.notes, notesPage?.page) : documentTitle(query, list.page)}
        </title>
        <Canonical path={listUrl({ ...query, notes: undefined, page: list.page })} />
        <div className="controls stack">
          <SearchBox shown={listOf(query)} requested={listOf(requested)} />
          <Filters query={listOf(requested)} />
        </div>
        {reportMessage && (
          <noscript>
            <p role="status" className="report-outcome callout">
              {reportMessage}
            </p>
          </noscript>
        )}
        <ShowResults
          list={list}
          query={query}
          loading={state !== "idle" || isReloading}
          failure={failure}
          seenAt={seenAt}
          reload={reload}
          reviewsOf={cardOf}
        />
      </PageLayout>
    </ReviewsProvider>
  );
}

function HeaderControl() {
  const { openOwnReviews, notSent, asksBeforeSignOut } = useReviews();
  return <SessionControl {...{ openOwnReviews, notSent, asksBeforeSignOut }} />;
}

function useReloads(loaded: LoadedList): [isReloading: boolean, reload: () => Promise<void>] {
  const { revalidate, state } = useRevalidator();
  const navigation = useNavigation();
  const [isReloading, run] = useSingleFlight();
  useRetry(loaded.failure !== undefined, () => {
    if (state === "idle" && navigation.state === "idle") void revalidate();
  });
  useReturn(() => void revalidate());
  useEffect(() => {
    // The saved page has the list of the start page.
    if (document.documentElement.dataset.saved !== undefined) void run(revalidate);
  }, [revalidate, run]);
  useEffect(() => {
    if (loaded.isUnasked) void revalidate();
  }, [revalidate, loaded]);
  return [isReloading, () => run(revalidate)];
}

/** Searching and filtering lead from the page of one show to the list. */
function listOf(query: ShowQuery): ShowQuery {
  return query.show === undefined ? query : wholeList;
}

/** The part of a card below the facts of its show. */
function useCard({ query, list, notesPage, noteTotals = noTotals, failure }: LoadedList) {
  const { origin } = useSite();
  const isSingle = query.show !== undefined;
  return useCallback(
    (show: ListedShow, titleId: string) => {
      if (!isSingle) return <ShowReviews show={show} titleId={titleId} />;
      if (query.notes && notesPage)
        return <AllNotes showId={show.id} interaction={query.notes} page={notesPage} />;
      return (
        <>
          <ShowReviews
            show={show}
            titleId={titleId}
            single={{
              noteTotals,
              isPast: show.year < list.year,
              missing: failure && { areAll: query.notes !== undefined, text: missingNotes(failure) },
            }}
          />
          <ForWebsite show={show} origin={origin} />
        </>
      );
    },
    [isSingle, failure, query.notes, list.year, notesPage, noteTotals, origin],
  );
}

function clientKey(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=client-key]")?.content ?? "";
}
