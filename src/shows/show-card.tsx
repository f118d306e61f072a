import { answerLabels, mostCommonAnswer, reviewCount, type Tallies } from "../reviews/review.ts";
import type { ListedShow } from "./show.ts";
import { TallyRow } from "./tally-row.tsx";
import { plural } from "./wording.ts";

/** Titles above this length, in characters, are set smaller. */
const LONG_TITLE = 80;

interface ShowCardProps {
  show: ListedShow;
  onReview: (show: ListedShow) => void;
}

/** A show as the list shows it (specification §2, "Show card"). Its parts stand on the lines of the grid around it. */
export function ShowCard({ show, onReview }: ShowCardProps) {
  const titleId = `show-${show.id}`;
  return (
    <article className="card" aria-labelledby={titleId}>
      <div className="card-head">
        <h3 id={titleId} className="card-title" data-long={show.title.length > LONG_TITLE || undefined}>
          <Title show={show} />
        </h3>
        <Facts show={show} />
      </div>
      {show.description && <p className="card-text">{show.description}</p>}
      <Interaction tallies={show.reviews} />
      <button type="button" className="button card-action" aria-describedby={titleId} onClick={() => onReview(show)}>
        Review This Show
      </button>
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

function Interaction({ tallies }: { tallies: Tallies | undefined }) {
  const mostCommon = tallies && mostCommonAnswer(tallies);
  return (
    <>
      <div className="card-interaction">
        <h4>Audience Interaction</h4>
        {tallies && <p className="card-count">{`(${plural(reviewCount(tallies), "review")})`}</p>}
        {mostCommon && (
          <p className="badge" data-answer={mostCommon}>
            {`Most common: ${answerLabels[mostCommon]}`}
          </p>
        )}
      </div>
      {tallies && mostCommon ? <TallyRow tallies={tallies} /> : <p className="card-quiet">{quietLine(tallies)}</p>}
    </>
  );
}

function quietLine(tallies: Tallies | undefined): string {
  return tallies ? "No reviews yet - be the first to share your experience!" : "Reviews can't be loaded right now.";
}
