import { interactionLabels, mostCommonInteraction, reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { plural } from "../../ui/plural.ts";
import { useReviews } from "./reviews-provider.tsx";
import { TallyRow } from "./tally-row.tsx";

/** The reviews on a show's card (docs/product.md §3.4 to §3.8). `titleId` is the id of the card's title. */
export function ShowReviews({ show, titleId }: { show: ListedShow; titleId: string }) {
  const { talliesOf, notesOf, isReviewed, review } = useReviews();
  const tallies = talliesOf(show);
  const hasReviews = tallies !== undefined && reviewCount(tallies) > 0;
  return (
    <>
      <Summary tallies={tallies} />
      {hasReviews ? (
        <TallyRow tallies={tallies} notes={notesOf(show.id)} />
      ) : (
        <p className="card-quiet">{emptyText(tallies)}</p>
      )}
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

function Summary({ tallies }: { tallies: Tallies | undefined }) {
  const mostCommon = tallies && mostCommonInteraction(tallies);
  return (
    <div className="card-interaction">
      <h4>Audience Interaction</h4>
      {tallies && <p className="card-count">{`(${plural(reviewCount(tallies), "review")})`}</p>}
      {mostCommon && (
        <p className="badge" data-answer={mostCommon}>
          {`Most common: ${interactionLabels[mostCommon]}`}
        </p>
      )}
    </div>
  );
}

function emptyText(tallies: Tallies | undefined): string {
  return tallies
    ? "No reviews yet - be the first to share your experience!"
    : "Reviews can't be loaded right now.";
}
