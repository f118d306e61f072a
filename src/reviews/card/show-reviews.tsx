import {
  type CardTexts,
  cardTexts,
  neverReviewed,
  noReviewsYet,
  type TallyTexts,
  unknownReviews,
} from "../../domain/card-texts.ts";
import { interactionLabels, interactions } from "../../domain/review.ts";
import { noteDay } from "../../domain/review-day.ts";
import type { ListedShow } from "../../domain/show.ts";
import { notesUrl, showUrl } from "../../domain/show-query.ts";
import { plural } from "../../lib/format.ts";
import { Link } from "../../ui/link.tsx";
import { pageChange } from "../../ui/pagination.tsx";
import { NoteList } from "../notes/note-list.tsx";
import { useReviews } from "../state/reviews-provider.tsx";
import type { NewestNotes } from "../state/sent-review.ts";
import { InteractionMeanings } from "./interaction-meanings.tsx";
import { TallyRow } from "./tally-row.tsx";

interface ShowReviewsProps {
  show: ListedShow;
  titleId: string;
  /** On the page of one show, where notes stand below the buttons and do not open from the tallies. */
  single?: Single | undefined;
}

interface Single {
  isPast: boolean;
  /** If notes could not be loaded: all of the page, or those that this tab had not loaded before. */
  missing?: { areAll: boolean; text: string } | undefined;
}

export function ShowReviews({ show, titleId, single }: ShowReviewsProps) {
  const { reviewsOf, review } = useReviews();
  const { tallies, notes, isReviewed, isWaiting } = reviewsOf(show);
  const texts = cardTexts({ ...show, reviews: tallies });
  const isPast = single?.isPast;
  // Until notes are loaded, a reviewed show counts as having some.
  const hasNotes = notes
    ? interactions.some((interaction) => notes[interaction].notes[0])
    : texts.tallies?.badge;
  return (
    <>
      <Summary texts={texts.tallies} newestAt={single && tallies?.latest_at} />
      {tallies && texts.tallies?.badge ? (
        <TallyRow
          tallies={tallies}
          texts={texts.tallies}
          showId={show.id}
          notes={single ? undefined : notes}
        />
      ) : (
        <p className="card-quiet">
          {!texts.tallies ? unknownReviews : isPast ? neverReviewed : noReviewsYet}
        </p>
      )}
      <Listing texts={texts} warnings={single ? show.warnings : []} />
      <div className="card-action row">
        {!isPast && (
          <button
            type="button"
            // After a sign-in, the page repeats the click on the button with this id.
            id={`review-${show.id}`}
            className="button"
            aria-describedby={titleId}
            // An Enter held down in the dialog would reopen it as soon as it closes.
            onKeyDown={(event) => {
              if (event.repeat) event.preventDefault();
            }}
            onClick={({ currentTarget, detail }) => {
              // The second click of a double click was meant for the dialog, which has just closed.
              if (detail < 2) review(show, currentTarget);
            }}
          >
            Review This Show
          </button>
        )}
        <a className="button card-share" href={showUrl(show.id)} aria-describedby={titleId}>
          Share
        </a>
        {!single && (
          <Link className="card-more" to={showUrl(show.id)} state={pageChange} aria-describedby={titleId}>
            {hasNotes ? "All notes" : "Details"}
          </Link>
        )}
        {/* Below the buttons: it loads late, and must not move them. */}
        {isWaiting ? (
          <p className="card-own">Not sent yet</p>
        ) : (
          isReviewed && (
            <p className="card-own">
              You reviewed this show <span aria-hidden="true">✓</span>
            </p>
          )
        )}
      </div>
      {single && (
        <div className="card-notes">
          <InteractionMeanings />
          {notes && <OpenNotes showId={show.id} notes={notes} />}
          {single.missing && (single.missing.areAll || !notes) && (
            <p className="card-quiet">{single.missing.text}</p>
          )}
        </div>
      )}
    </>
  );
}

interface OpenNotesProps {
  showId: string;
  notes: NewestNotes;
}

/** On the page of one show (docs/product.md §4.6). */
function OpenNotes({ showId, notes: all }: OpenNotesProps) {
  return interactions
    .filter((interaction) => all[interaction].notes[0])
    .map((interaction) => {
      const label = interactionLabels[interaction];
      const { total, notes } = all[interaction];
      return (
        <section key={interaction} className="open-notes" data-interaction={interaction}>
          <h5>{`Notes for ${label}`}</h5>
          <NoteList notes={notes} />
          {total > notes.length && (
            <p className="notes-links row">
              <Link to={notesUrl(showId, interaction)} state={pageChange} preventScrollReset>
                {`All ${total} notes for ${label}`}
              </Link>
            </p>
          )}
        </section>
      );
    });
}

interface SummaryProps {
  texts: TallyTexts | null;
  newestAt: string | null | undefined;
}

function Summary({ texts, newestAt }: SummaryProps) {
  return (
    <div className="card-interaction">
      <h4>Audience Interaction</h4>
      {texts && <p className="card-count">{`(${plural(texts.total, "review")})`}</p>}
      {texts?.badge && (
        <p className="card-badge row" data-interaction={texts.badge.interaction}>
          <span className="badge interaction-mark" data-outlined={texts.badge.isOutlined || undefined}>
            {texts.badge.text}
          </span>
          {texts.badge.tie && ` ${texts.badge.tie}`}
        </p>
      )}
      {/* The outline says it, unless it is that of a tie. */}
      {texts?.fewLine && (
        <p className={texts.badge?.tie ? "card-few" : "card-few sr-only"}>{texts.fewLine}</p>
      )}
      {newestAt && <p className="card-few">{`Newest review: ${noteDay(newestAt)}`}</p>}
    </div>
  );
}

interface ListingProps {
  texts: CardTexts;
  warnings: readonly string[];
}

/** Apart from the reviews: last year's, and what the listing declares (docs/product.md §3.11, §3.16). */
function Listing({ texts: { lastYear, listing, contradiction }, warnings }: ListingProps) {
  return (
    <div className="card-listing">
      {lastYear && <p className="card-last-year">{lastYear}</p>}
      {listing && <p>{listing}</p>}
      {warnings.length > 0 && (
        <p>
          {"The listing warns of: "}
          <bdi>{warnings.join(", ")}</bdi>.
        </p>
      )}
      {contradiction && <p className="card-contradiction">{contradiction}</p>}
    </div>
  );
}
