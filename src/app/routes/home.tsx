import { useEffect } from "react";
import {
  type ClientLoaderFunctionArgs,
  data,
  type LoaderFunctionArgs,
  useLoaderData,
  useNavigation,
  useRevalidator,
} from "react-router";
import { SessionControl } from "../../auth/ui/session/session-control.tsx";
import { useAccounts, useSession } from "../../auth/ui/session/session-provider.tsx";
import { useSignIn } from "../../auth/ui/sign-in/use-sign-in.ts";
import { useRetry } from "../../browser/use-retry.ts";
import { useReturn } from "../../browser/use-return.ts";
import { useSingleFlight } from "../../browser/use-single-flight.ts";
import type { ListedShow } from "../../domain/show.ts";
import { parseShowQuery } from "../../domain/show-query.ts";
import { ShowReviews } from "../../reviews/card/show-reviews.tsx";
import { ReviewsProvider, useReviews } from "../../reviews/provider/reviews-provider.tsx";
import { AnnouncedFilter, Filters } from "../../shows/filters.tsx";
import { documentTitle, showTitle } from "../../shows/list-texts.ts";
import { listUrl } from "../../shows/list-url.ts";
import { type LoadFailure, loadShows } from "../../shows/load-shows-client.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { recallList, rememberList } from "../../shows/seen-lists-client.ts";
import { ShowResults } from "../../shows/show-results.tsx";
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

/** Offline, a list seen before is shown (docs/product.md §8.11). */
export async function clientLoader({ url, request }: ClientLoaderFunctionArgs): Promise<LoadedList> {
  const query = parseShowQuery(url.searchParams);
  const loaded = await loadShows(query, {
    fetch: window.fetch,
    clientKey: clientKey(),
    signal: request.signal,
    reportError: console.error,
  });
  return { query, ...loaded, ...(loaded.failure && recallList(query)) };
}

interface LoadedList extends FoundList {
  failure?: LoadFailure | undefined;
  seenAt?: number;
}

const loadDialogs = () => import("../dialogs.tsx");

/** Notes are loaded after the list, unless they came with the page. */
const noNotes: NonNullable<FoundList["notes"]> = {};

export default function HomePage() {
  const loaded = useLoaderData<typeof clientLoader>();
  const { query, list, notes = noNotes, failure, seenAt, reportMessage } = loaded;
  const { state, location: next } = useNavigation();
  const requested = next?.pathname === "/" ? parseShowQuery(new URLSearchParams(next.search)) : query;
  // Searching and filtering lead from the page of one show back to the list.
  const requestedList = { ...requested, show: undefined };
  const { client, providers } = useAccounts();
  const signIn = useSignIn("header");
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  const [isReloading, reload] = useReloads(failure !== undefined);
  useEffect(() => {
    if (!failure) rememberList(query, list);
  }, [query, list, failure]);
  return (
    <ReviewsProvider
      shows={list.shows}
      notes={notes}
      userId={userId}
      session={client}
      account={{ providers, signIn, forget: client.forget }}
      clientKey={clientKey}
      loadDialogs={loadDialogs}
    >
      <PageLayout
        skipTo={list.total > list.page_size ? ["shows", "pages"] : ["shows"]}
        control={<HeaderControl />}
      >
        <title>{query.show === undefined ? documentTitle(query, list.page) : showTitle(list)}</title>
        <Canonical path={listUrl({ ...query, page: list.page })} />
        <div className="controls stack">
          <SearchBox shown={{ ...query, show: undefined }} requested={requestedList} />
          <Filters query={requestedList} />
          <AnnouncedFilter query={requestedList} />
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
          reviewsOf={query.show === undefined ? reviewsOf : reviewsWithNotesOf}
        />
      </PageLayout>
    </ReviewsProvider>
  );
}

function HeaderControl() {
  return <SessionControl openOwnReviews={useReviews().openOwnReviews} />;
}

function useReloads(failed: boolean): [isReloading: boolean, reload: () => void] {
  const { revalidate, state } = useRevalidator();
  const navigation = useNavigation();
  const [isReloading, run] = useSingleFlight();
  useRetry(failed, () => {
    if (state === "idle" && navigation.state === "idle") void revalidate();
  });
  useReturn(() => void revalidate());
  return [isReloading, () => run(revalidate)];
}

function reviewsOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} />;
}

function reviewsWithNotesOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} notesOpen />;
}

function clientKey(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=client-key]")?.content ?? "";
}
