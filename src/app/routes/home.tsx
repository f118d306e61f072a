import { useCallback, useEffect, useMemo } from "react";
import { useLoaderData, useNavigation, useRevalidator } from "react-router";
import { SessionControl, useSignOut } from "../../auth/ui/session/session-control.tsx";
import { useAccounts, useSession } from "../../auth/ui/session/session-provider.tsx";
import { useSignIn } from "../../auth/ui/sign-in/use-sign-in.ts";
import { retryWait, useRetry } from "../../browser/use-retry.ts";
import { useReturn } from "../../browser/use-return.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import type { ListedShow } from "../../domain/show.ts";
import { parseShowQuery, type ShowQuery, wholeList } from "../../domain/show-query.ts";
import { isSavedPage } from "../../offline/saved-page.ts";
import { ShowReviews } from "../../reviews/card/show-reviews.tsx";
import { AllNotes } from "../../reviews/notes/all-notes.tsx";
import { ReviewsProvider, useReviews } from "../../reviews/state/reviews-provider.tsx";
import { ForWebsite } from "../../shows/badge/for-website.tsx";
import { Filters } from "../../shows/filters.tsx";
import { documentTitle, missingNotes, showTitle } from "../../shows/list-texts.ts";
import { listUrl } from "../../shows/list-url.ts";
import type { createListLoader, LoadedList } from "../../shows/load-list.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { ShowResults } from "../../shows/show-results.tsx";
import { Link } from "../../ui/link.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { pageChange } from "../../ui/pagination.tsx";
import { Canonical, requestsOf, useSite } from "../site.tsx";

const loadDialogs = () => import("../dialogs.tsx");

/** Notes load after the list, unless they came with the page. */
const noNotes: NonNullable<LoadedList["notes"]> = {};

export default function HomePage() {
  const loaded = useLoaderData<ReturnType<typeof createListLoader>>();
  const site = useSite();
  const request = useMemo(() => requestsOf(site), [site]);
  const { query, list, notes = noNotes, notesPage, failure, seenAt, reportMessage } = loaded;
  const isSingle = query.show !== undefined;
  const isShow = isSingle && (list.total > 0 || !failure);
  const { state, location: next } = useNavigation();
  const requested = next?.pathname === "/" ? parseShowQuery(new URLSearchParams(next.search)) : query;
  const { client, providers } = useAccounts();
  const signIn = useSignIn("header");
  const signOut = useSignOut();
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  const [isReloading, reload] = useReloads(loaded);
  const cardOf = useCard(loaded, site.origin);
  return (
    <ReviewsProvider
      shows={list.shows}
      notes={notes}
      userId={userId}
      session={client}
      account={{ providers, signIn, signOut, forget: client.forget }}
      request={request}
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
        <div className="controls" data-single={isSingle || undefined}>
          {isSingle && (
            <Link to="/" state={pageChange} className="all-shows">
              <span aria-hidden="true">‹ </span>All shows
            </Link>
          )}
          {/* On all pages: a box that is typed in stays when the list replaces the page of a show. */}
          <details open={!isSingle}>
            <summary>Search</summary>
            <div className="stack">
              <SearchBox shown={listOf(query)} requested={listOf(requested)} />
              <Filters query={listOf(requested)} isList={requested.show === undefined} />
            </div>
          </details>
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
  const { openOwnReviews, notSent, hasHidden, asksBeforeSignOut } = useReviews();
  return <SessionControl {...{ openOwnReviews, notSent, hasHidden, asksBeforeSignOut }} />;
}

function useReloads(loaded: LoadedList): [isReloading: boolean, reload: () => Promise<void>] {
  const { revalidate, state } = useRevalidator();
  const navigation = useNavigation();
  const [isReloading, run] = useSingleFlight();
  useRetry(loaded.failure ? retryWait(loaded.retryAfter) : null, () => {
    if (state === "idle" && navigation.state === "idle") void revalidate();
  });
  useReturn(() => void revalidate());
  useEffect(() => {
    // The saved page has the list of the start page.
    if (isSavedPage()) void run(revalidate);
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
function useCard({ query, list, notesPage, failure }: LoadedList, origin: string) {
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
              isPast: show.year < list.year,
              missing: failure && { areAll: query.notes !== undefined, text: missingNotes(failure) },
            }}
          />
          <ForWebsite show={show} shortId={list.short_id} origin={origin} />
        </>
      );
    },
    [isSingle, failure, query.notes, list.year, list.short_id, notesPage, origin],
  );
}
