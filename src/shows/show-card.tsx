import type { ReactNode } from "react";
import { isLong, type ListedShow } from "../domain/show.ts";

interface ShowCardProps {
  show: ListedShow;
  titleId: string;
  /** The reviews: four elements, for the last four rows of the card. */
  children: ReactNode;
}

/** The card of a show (docs/product.md §3). Its parts are placed on the rows of the surrounding grid. */
export function ShowCard({ show, titleId, children }: ShowCardProps) {
  return (
    <article className="card" aria-labelledby={titleId}>
      <div className="card-head">
        <h3 id={titleId} className="card-title" data-long={isLong(show.title) || undefined}>
          <Title show={show} />
        </h3>
        <Facts show={show} />
      </div>
      {show.description && <p className="card-text">{show.description}</p>}
      {children}
    </article>
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

function Facts({ show: { artist, venue_name, genre, status } }: { show: ListedShow }) {
  return (
    <div className="card-facts">
      {artist && <p className="card-artist">{`by ${artist}`}</p>}
      {venue_name && <p>{venue_name}</p>}
      <p className="card-tags">
        {genre && <span className="tag">{genre}</span>}
        {status === "cancelled" && <span className="tag tag-strong">Cancelled</span>}
      </p>
    </div>
  );
}
