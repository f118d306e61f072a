import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useLocation, useNavigationType } from "react-router";
import type { ListedShow, ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { withoutDirections } from "../lib/format.ts";
import { Link } from "../ui/link.tsx";
import { isPageChange, Pagination } from "../ui/pagination.tsx";
import { exclusionLine, listNotice, noMatchLine, summaryLine } from "./list-texts.ts";
import { listUrl } from "./list-url.ts";
import type { LoadFailure } from "./load-list.ts";
import { ShowCard } from "./show-card.tsx";
import { useShare } from "./use-share.ts";

interface ShowResultsProps {
  list: ShowPage;
  query: ShowQuery;
  loading: boolean;
  /** After a failure, the list is an earlier one, or empty. */
  failure: LoadFailure | undefined;
  seenAt: number | undefined;
  reload: () => Promise<void>;
  /** Must be a stable function. */
  reviewsOf: (show: ListedShow, titleId: string) => ReactNode;
}

export function ShowResults(props: ShowResultsProps) {
  const { list, query, loading, failure, seenAt, reload, reviewsOf } = props;
  const section = useRef<HTMLElement>(null);
  const isMissing = failure !== undefined && seenAt === undefined;
  // The notice says everything about a show that could not be loaded.
  const summary = isMissing && query.show !== undefined ? "" : summaryLine(list);
  const isMatching = query.search !== "" && list.total > 0;
  const takesReviews = list.shows.some(({ year }) => year === list.year);
  const notice = listNotice({ list, failure, seenAt, show: query.notes ? undefined : query.show });
  useFocusAfterPageChange(section);
  return (
    <section ref={section} id="shows" className="results" tabIndex={-1} aria-labelledby="shows-heading">
      <h2 id="shows-heading" className="sr-only">
        Shows
      </h2>
      <p
        role="status"
        className="summary"
        data-empty={(list.total === 0 && !isMissing) || undefined}
        data-loading={loading || undefined}
      >
        <span key={listUrl(query)}>
          {/* One string: where a proxy removes comments, adjacent texts would merge. */}
          {isMatching ? `${summary} matching "` : summary}
          {isMatching && (
            <>
              <bdi>{query.search}</bdi>"
            </>
          )}
        </span>
      </p>
      {loading && (
        <p className="loading">
          <span aria-hidden="true">Loading shows...</span>
          <span role="status" className="sr-only">
            <span>Loading shows...</span>
          </span>
        </p>
      )}
      {notice && <ListNotice text={notice} isMissing={isMissing} reload={reload} />}
      {takesReviews && (
        <noscript>
          <p className="needs-scripts">
            {"Reviewing a show needs JavaScript and "}
            <a href="/auth">signing in</a>. Browsing needs neither.
          </p>
        </noscript>
      )}
      {/* Each list has its own cards: reused cards that move would count as a layout shift. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the handler serves the links inside */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link clicks */}
      <div key={listUrl(query)} className="stale" aria-busy={loading} onClick={useShare()}>
        {list.total === 0 ? (
          <EmptyHint query={query} list={list} isMissing={isMissing} />
        ) : (
          <ShowGrid
            shows={list.shows}
            isPast={!takesReviews}
            single={query.show === undefined ? undefined : query.notes ? "notes" : "whole"}
            reviewsOf={reviewsOf}
          />
        )}
        <p id="new-tab" hidden>
          Opens in a new tab
        </p>
        <Pagination
          current={list.page}
          last={Math.ceil(list.total / list.page_size)}
          hrefOf={(page) => listUrl({ ...query, page })}
        />
      </div>
    </section>
  );
}

interface ListNoticeProps {
  text: string;
  isMissing: boolean;
  reload: () => Promise<void>;
}

/** docs/product.md §8.11 */
function ListNotice({ text, isMissing, reload }: ListNoticeProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [tries, setTries] = useState(0);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // The list has loaded: the focus must not disappear with the button.
      if (current === document.activeElement)
        document.getElementById("shows")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div role="alert" className="notice row" data-missing={isMissing || undefined}>
      {/* Announced again after a try that changed nothing. */}
      <p key={tries}>{text}</p>
      <button
        ref={button}
        type="button"
        className="button"
        onClick={() => void reload().then(() => setTries(tries + 1))}
      >
        Try again
      </button>
    </div>
  );
}

/** Scrolls to the top of the results and moves the focus there (docs/product.md §2.14). */
function useFocusAfterPageChange(results: RefObject<HTMLElement | null>): void {
  const { key, state } = useLocation();
  const navigationType = useNavigationType();
  // A layout effect: a Tab pressed right after the new list is painted must start at its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every history entry
  useLayoutEffect(() => {
    if (navigationType === "POP" || !isPageChange(state)) return;
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView();
  }, [key]);
}

interface ShowGridProps extends Pick<ShowResultsProps, "reviewsOf">, Pick<ShowPage, "shows"> {
  isPast: boolean;
  single: "notes" | "whole" | undefined;
}

const ShowGrid = memo(function ShowGrid({ shows, isPast, single, reviewsOf }: ShowGridProps) {
  return (
    <div className="shows" data-single={single}>
      {shows.map((show) => {
        const titleId = `show-${show.id}`;
        return (
          <ShowCard key={show.id} show={show} isPast={isPast} titleId={titleId}>
            {reviewsOf(show, titleId)}
          </ShowCard>
        );
      })}
    </div>
  );
});

/** Without a list, nothing is known about shows. */
function EmptyHint({
  query,
  list,
  isMissing,
}: Pick<ShowResultsProps, "query" | "list"> & { isMissing: boolean }) {
  const exclusion = exclusionLine(query);
  const noMatch = noMatchLine(query);
  return (
    <div className="empty-hint stack">
      {!isMissing && (
        <p>{query.search ? "Try adjusting your search terms" : "Shows are updated every 12 hours."}</p>
      )}
      {!isMissing && noMatch && <p>{noMatch}</p>}
      {exclusion && <p>{exclusion}</p>}
      {list.did_you_mean && (
        <Link to={`/?${list.did_you_mean.query}`}>
          {`Did you mean ${withoutDirections(list.did_you_mean.search)}?`}
        </Link>
      )}
      {query.show === undefined && listUrl({ ...query, page: 1 }) !== "/" && (
        <Link to="/">Show all shows</Link>
      )}
    </div>
  );
}
