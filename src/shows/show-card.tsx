import type { ReactNode } from "react";
import { isLong, wasAtFringe } from "../domain/programme.ts";
import type { ListedShow } from "../domain/show.ts";
import { wholeList } from "../domain/show-query.ts";
import { Link } from "../ui/link.tsx";
import { pageChange } from "../ui/pagination.tsx";
import { ShowFacts } from "../ui/show-facts.tsx";
import { listUrl } from "./list-url.ts";

interface ShowCardProps {
  show: ListedShow;
  isPast: boolean;
  titleId: string;
  children: ReactNode;
}

/** docs/product.md §3. Its parts are rows of the surrounding grid. */
export function ShowCard({ show, isPast, titleId, children }: ShowCardProps) {
  return (
    <article className="card" aria-labelledby={titleId}>
      <div className="card-head">
        <h3 id={titleId} className="card-title" dir="auto" data-long={isLong(show.title) || undefined}>
          <Title show={show} />
        </h3>
        <ShowFacts {...show}>
          {show.genre && (
            <p className="tag" dir="auto">
              {isPast ? show.genre : <GenreLink genre={show.genre} />}
            </p>
          )}
          {show.status === "cancelled" && <p className="tag tag-strong">Cancelled</p>}
        </ShowFacts>
        {isPast && <p className="card-past callout">{wasAtFringe(show.year)}</p>}
        {show.description && (
          <p className="card-text clamped" dir="auto">
            {show.description}
          </p>
        )}
      </div>
      {children}
    </article>
  );
}

function GenreLink({ genre }: { genre: string }) {
  return (
    <Link to={listUrl({ ...wholeList, genre })} state={pageChange}>
      {genre}
    </Link>
  );
}

function Title({ show: { title, website } }: { show: ListedShow }) {
  if (website === null) return title;
  return (
    <a href={website} target="_blank" rel="noopener" aria-describedby="new-tab">
      {title}
    </a>
  );
}
