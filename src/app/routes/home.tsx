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
import { readShowQuery, type ShowQuery } from "../../domain/show-query.ts";
import { ReviewsProvider } from "../../reviews/ui/reviews-provider.tsx";
import { ShowReviews } from "../../reviews/ui/show-reviews.tsx";
import { Filters } from "../../shows/filters.tsx";
import { documentTitle } from "../../shows/list-texts.ts";
import { loadShows } from "../../shows/load-shows-client.ts";
import { SearchBox } from "../../shows/search-box.tsx";
import { ShowResults } from "../../shows/show-results.tsx";
import { Frame } from "../../ui/page-layout.tsx";
import { siteContext } from "../loader-context.server.ts";

export function loader({ url, context }: LoaderFunctionArgs): ShowPage {
  return context.get(siteContext).catalogue.list(readShowQuery(url.searchParams));
}

/** Within the open page one request to the API brings the list; the page itself does not come again. */
export async function clientLoader({ url, request }: ClientLoaderFunctionArgs): Promise<LoadedList> {
  const askedAt = performance.now();
  const list = await loadShows(readShowQuery(url.searchParams), {
    fetch: window.fetch,
    clientKey: clientKey(),
    signal: request.signal,
    reportError: console.error,
  });
  return { ...list, askedAt };
}

interface LoadedList extends ShowPage {
  /** By `performance.now()`; a list that came with the page has none. */
  askedAt?: number;
}

/** The show list. Its only state is the address: what is asked for stands there, what is shown came with it. */
export default function ShowsPage() {
  const list = useLoaderData<typeof clientLoader>();
  const shown = queryOf(useLocation().search);
  const { state, location: next } = useNavigation();
  const asked = next?.pathname === "/" ? queryOf(next.search) : shown;
  const { client } = useAccounts();
  const session = useSession();
  const userId = session.status === "signed-in" ? session.user.id : null;
  return (
    <ReviewsProvider
      shows={list.shows}
      askedAt={list.askedAt ?? 0}
      userId={userId}
      session={client}
      clientKey={clientKey}
    >
      <Frame skipTo={{ id: "shows", name: "shows" }} control={<SessionControl />}>
        <title>{documentTitle(shown, list.page)}</title>
        <div className="grid grid-cols-1 gap-5 pt-6 pb-7">
          <SearchBox shown={shown} asked={asked} />
          <Filters query={asked} />
        </div>
        <ShowResults list={list} query={shown} loading={state !== "idle"} reviewsOf={reviewsOf} />
      </Frame>
    </ReviewsProvider>
  );
}

function reviewsOf(show: ListedShow, titleId: string) {
  return <ShowReviews show={show} titleId={titleId} />;
}

/** What the document says the API is asked with. */
function clientKey(): string {
  return document.querySelector<HTMLMetaElement>("meta[name=client-key]")?.content ?? "";
}

function queryOf(search: string): ShowQuery {
  return readShowQuery(new URLSearchParams(search));
}
