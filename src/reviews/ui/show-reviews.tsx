import {
  describeInteraction,
  type InteractionWords,
  type ReviewWords,
} from "../../domain/interaction-words.ts";
import type { ListedShow } from "../../domain/show.ts";
import { plural } from "../../ui/plural.ts";
import { useReviews } from "./reviews-provider.tsx";
import { TallyRow } from "./tally-row.tsx";

/** The reviews on a show's card (docs/product.md §3.4 to §3.11). `titleId` is the id of the card's title. */
export function ShowReviews({ show, titleId }: { show: ListedShow; titleId: string }) {
  const { talliesOf, notesOf, isReviewed, review } = useReviews();
  const tallies = talliesOf(show);
  const words = describeInteraction({ reviews: tallies, announced: show.announced });
  return (
    <>
      <Summary words={words.reviews} />
      {tallies && words.reviews?.badge ? (
        <TallyRow tallies={tallies} words={words.reviews} notes={notesOf(show.id)} />
      ) : (
        <p className="card-quiet">{emptyText(words.reviews)}</p>
      )}
      <Listing words={words} />
      <div className="card-action">
        {isReviewed(show.id) && <p className="card-own">You reviewed this show</p>}
        <button
          type="button"
          className="button"
          aria-describedby={titleId}
          // An Enter held down in the dialog would reopen it as soon as it closes.
          onKeyDown={(event) => event.repeat && event.preventDefault()}
          onClick={({ currentTarget, detail }) => {
            // The second click of a double click was meant for the dialog, which has just closed.
            if (detail < 2) review(show, currentTarget);
          }}
        >
          Review This Show
        </button>
      </div>
    </>
  );
}

function Summary({ words }: { words: ReviewWords | null }) {
  return (
    <div className="card-interaction">
      <h4>Audience Interaction</h4>
      {words && <p className="card-count">{`(${plural(words.total, "review")})`}</p>}
      {words?.badge && (
        <p className="badge" data-answer={words.badge.interaction} data-few={words.few || undefined}>
          {words.badge.text}
        </p>
      )}
      {words?.fewLine && <p className="card-few">{words.fewLine}</p>}
    </div>
  );
}

/** The listing's own word, set apart from the reviews (docs/product.md §3.11). */
function Listing({ words: { listing, unannounced } }: { words: InteractionWords }) {
  return (
    <div className="card-listing">
      {listing && <p>{listing}</p>}
      {unannounced && <p className="card-unannounced">{unannounced}</p>}
    </div>
  );
}

function emptyText(words: ReviewWords | null): string {
  return words
    ? "No reviews yet - be the first to share your experience!"
    : "Reviews can't be loaded right now.";
}
