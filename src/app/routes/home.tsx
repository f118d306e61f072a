import { useEffect } from "react";
import {
  type ClientLoaderFunctionArgs,
  data,
  type LoaderFunctionArgs,
  useLoaderData,
  useNavigation,
  useRevalidator,
} from "react-router";
import { SessionControl } from "../../auth/ui/session-control.tsx";
import { useAccounts, useSession } from "../../auth/ui/session-provider.tsx";
import { useSignIn } from "../../auth/ui/use-sign-in.ts";
import type { ListedShow } from "../../domain/show.ts";
import { parseShowQuery } from "../../domain/show-query.ts";
import { ReviewsProvider, useReviews } from "../../reviews/ui/reviews-provider.tsx";
import { ShowReviews } from "../../reviews/ui/show-reviews.tsx";
import { AnnouncedFilter, Filters } from "../../shows/filters.tsx";
import { documentTitle, showTitle } from "../../shows/list-texts.ts";
import { listUrl } from "../../shows/list-url.ts";
import { loadShows } from "../../shows/load-shows-client.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { ShowResults } from "../../shows/show-results.tsx";
import { hasRecentReview } from "../../ui/own-review-time-client.ts";
import { PageLayout } from "../../ui/page-layout.tsx";
import { type FoundList, siteContext } from "../loader-context.server.ts";
import { Canonical } from "../page-head.tsx";

export function loader({ url, context }: LoaderFunctionArgs) {
  const { found, catalogue } = context.get(siteContext);
  if (found) return found;
  const query = parseShowQuery(url.searchParams);
  const list = catalogue.find(query).page;
  return data({ query, list }, query.show !== undefined && list.total === 0 ? 404 : 200);
}

/** Client-side navigations load only the list, with one request to the API. */
export async function clientLoader({ url, request }: ClientLoaderFunctionArgs): Promise<LoadedList> {
  const requestedAt = performance.now();
  const query = parseShowQuery(url.searchParams);
  const list = await loadShows(query, {
    fetch: window.fetch,
    clientKey: clientKey(),
    signal: request.signal,
    reportError: console.error,
  });
  return { query, list, requestedAt };
}

interface LoadedList extends FoundList {
  /** When the list was requested, by `performance.now()`; undefined when it came with the page. */
  requestedAt?: number;
}

/** Notes are loaded after the list, unless they came with the page. */
const noNotes: NonNullable<FoundList["notes"]> = {};

/** The list of shows. Its only state is the URL (docs/product.md §2.11). */
export default function HomePage() {
  const { query, list, notes = noNotes, requestedAt = 0 } = useLoaderData<typeof clientLoader>();
  const { state, location: next } = useNavigation();
  const requested = next?.pathname === "/" ? parseShowQuery(new URLSearchParams(next.search)) : query;
  // Searching and filtering lead from the page of one show back to the list.
  const requestedList = { ...requested, show: undefined };
  const { client, providers } = useAccounts();
  const signIn = useSignIn("header");
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  useOwnReviewInList();
  return (
    <ReviewsProvider
      shows={list.shows}
      notes={notes}
      requestedAt={requestedAt}
      userId={userId}
      session={client}
      account={{ providers, signIn, forget: client.forget }}
      clientKey={clientKey}
    >
      <PageLayout
        skipTo={list.total > list.page_size ? ["shows", "pages"] : ["shows"]}
        control={<HeaderControl />}
      >
        <title>{query.show === undefined ? documentTitle(query, list.page) : showTitle(list)}</title>
        <Canonical path={listUrl({ ...query, page: list.page })} />
        <div className="controls">
          <SearchBox shown={{ ...query, show: undefined }} requested={requestedList} />
          <Filters query={requestedList} />
          <AnnouncedFilter query={requestedList} />
        </div>
        <ShowResults
          list={list}
          query={query}
          loading={state !== "idle"}
          reviewsOf={query.show === undefined ? reviewsOf : reviewsWithNotesOf}
        />
      </PageLayout>
    </ReviewsProvider>
  );
}

function HeaderControl() {
  return <SessionControl openOwnReviews={useReviews().openOwnReviews} />;
}

/**
 * Loads the list again when the page may come from a shared cache that does not have the user's review yet.
 */
function useOwnReviewInList(): void {
  const { revalidate } = useRevalidator();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every page
  useEffect(() => {
    if (hasRecentReview()) void revalidate();
  }, []);
}

function reviewsOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} />;
}

/** On the page of one show, all its notes are open. */
function reviewsWithNotesOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} notesOpen />;
}

/** The public client key, from the document. */
function clientKey(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=client-key]")?.content ?? "";
}
