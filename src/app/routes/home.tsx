import {
  type ClientLoaderFunctionArgs,
  type LoaderFunctionArgs,
  useLoaderData,
  useLocation,
  useNavigation,
} from "react-router";
import { SessionControl } from "../../auth/ui/session-control.tsx";
import { useAccounts, useSession } from "../../auth/ui/session-provider.tsx";
import type { ListedShow, ShowPage } from "../../domain/show.ts";
import { parseShowQuery, type ShowQuery } from "../../domain/show-query.ts";
import { ReviewsProvider } from "../../reviews/ui/reviews-provider.tsx";
import { ShowReviews } from "../../reviews/ui/show-reviews.tsx";
import { Filters } from "../../shows/filters.tsx";
import { documentTitle } from "../../shows/list-texts.ts";
import { loadShows } from "../../shows/load-shows-client.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { ShowResults } from "../../shows/show-results.tsx";
import { PageLayout } from "../../ui/page-layout.tsx";
import { siteContext } from "../loader-context.server.ts";

export function loader({ url, context }: LoaderFunctionArgs): ShowPage {
  return context.get(siteContext).catalogue.list(parseShowQuery(url.searchParams));
}

/** Client-side navigations load only the list, with one request to the API. */
export async function clientLoader({ url, request }: ClientLoaderFunctionArgs): Promise<LoadedList> {
  const requestedAt = performance.now();
  const list = await loadShows(parseShowQuery(url.searchParams), {
    fetch: window.fetch,
    clientKey: clientKey(),
    signal: request.signal,
    reportError: console.error,
  });
  return { ...list, requestedAt };
}

interface LoadedList extends ShowPage {
  /** When the list was requested, by `performance.now()`; undefined when it came with the page. */
  requestedAt?: number;
}

/** The list of shows. Its only state is the URL (docs/product.md §2.11). */
export default function HomePage() {
  const list = useLoaderData<typeof clientLoader>();
  const shown = queryOf(useLocation().search);
  const { state, location: next } = useNavigation();
  const requested = next?.pathname === "/" ? queryOf(next.search) : shown;
  const { client } = useAccounts();
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  return (
    <ReviewsProvider
      shows={list.shows}
      requestedAt={list.requestedAt ?? 0}
      userId={userId}
      session={client}
      clientKey={clientKey}
    >
      <PageLayout skipTo={{ id: "shows", name: "shows" }} control={<SessionControl />}>
        <title>{documentTitle(shown, list.page)}</title>
        <div className="grid grid-cols-1 gap-5 pt-6 pb-7">
          <SearchBox shown={shown} requested={requested} />
          <Filters query={requested} />
        </div>
        <ShowResults list={list} query={shown} loading={state !== "idle"} reviewsOf={reviewsOf} />
      </PageLayout>
    </ReviewsProvider>
  );
}

function reviewsOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} />;
}

/** The public client key, from the document. */
function clientKey(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=client-key]")?.content ?? "";
}

function queryOf(search: string): ShowQuery {
  return parseShowQuery(new URLSearchParams(search));
}
