import { memo, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { Link, useLocation, useNavigationType } from "react-router";
import type { ListedShow, ShowPage } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";
import { isTurnedPage, Pagination } from "../ui/pagination.tsx";
import { summaryLine } from "./list-texts.ts";
import { addressOf } from "./list-url.ts";
import { ShowCard } from "./show-card.tsx";

interface ShowResultsProps {
  list: ShowPage;
  query: ShowQuery;
  /** Another list is on its way. */
  loading: boolean;
  /** Draws what is known of a show's reviews; the id is that of the card's title. Always the same function. */
  reviewsOf: (show: ListedShow, titleId: string) => ReactNode;
}

/** What was found: the line that says so, the cards and the way to the other pages. */
export function ShowResults({ list, query, loading, reviewsOf }: ShowResultsProps) {
  const section = useRef<HTMLElement>(null);
  useFocusAfterTurning(section);
  return (
    <section ref={section} id="shows" className="results" tabIndex={-1} aria-labelledby="shows-heading">
      <h2 id="shows-heading" className="sr-only">
        Shows
      </h2>
      <p role="status" className="summary" data-empty={list.total === 0 || undefined}>
        {summaryLine(list, query.search)}
      </p>
      <noscript>
        <p className="mt-1 text-muted">Reviewing a show needs JavaScript. Browsing does not.</p>
      </noscript>
      {loading && (
        <p className="loading">
          <span>Loading shows...</span>
        </p>
      )}
      <div className="stale" aria-busy={loading}>
        {list.total === 0 ? <EmptyHint query={query} /> : <ShowGrid shows={list.shows} reviewsOf={reviewsOf} />}
        <p id="new-tab" hidden>
          Opens in a new tab
        </p>
        <Pagination
          current={list.page}
          last={Math.ceil(list.total / list.page_size)}
          hrefOf={(page) => addressOf({ ...query, page })}
        />
      </div>
    </section>
  );
}

/** A turned page starts at its top, and the keyboard goes on from there. */
function useFocusAfterTurning(results: RefObject<HTMLElement | null>): void {
  const { key, state } = useLocation();
  const arrivedBy = useNavigationType();
  // Together with the new list: a Tab pressed right after it has come starts from its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every new place in the history
  useLayoutEffect(() => {
    if (arrivedBy === "POP" || !isTurnedPage(state)) return;
    results.current?.focus({ preventScroll: true });
    results.current?.scrollIntoView();
  }, [key]);
}

type ShowGridProps = Pick<ShowResultsProps, "reviewsOf"> & Pick<ShowPage, "shows">;

const ShowGrid = memo(function ShowGrid({ shows, reviewsOf }: ShowGridProps) {
  return (
    <div className="shows">
      {shows.map((show) => {
        const titleId = `show-${show.id}`;
        return (
          <ShowCard key={show.id} show={show} titleId={titleId}>
            {reviewsOf(show, titleId)}
          </ShowCard>
        );
      })}
    </div>
  );
});

function EmptyHint({ query }: { query: ShowQuery }) {
  return (
    <div className="grid justify-items-center gap-3 pt-3 pb-[clamp(2rem,8vh,5rem)] text-center text-muted">
      <p>{query.search ? "Try adjusting your search terms" : "Shows are updated every 12 hours."}</p>
      {(query.search || query.interaction.length > 0) && (
        <Link to="/" className="py-2.5 text-accent underline underline-offset-4">
          Show all shows
        </Link>
      )}
    </div>
  );
}
