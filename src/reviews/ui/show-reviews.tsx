import { interactionLabels, mostCommonInteraction, reviewCount, type Tallies } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { plural } from "../../ui/plural.ts";
import { useReviews } from "./reviews-provider.tsx";
import { TallyRow } from "./tally-row.tsx";

/** The part of a show's card that is about its reviews. `titleId` is the id of the card's title. */
export function ShowReviews({ show, titleId }: { show: ListedShow; titleId: string }) {
  const { talliesOf, notesOf, isReviewed, review } = useReviews();
  const tallies = talliesOf(show);
  const counted = tallies !== undefined && reviewCount(tallies) > 0;
  return (
    <>
      <Summary tallies={tallies} />
      {counted ? (
        <TallyRow tallies={tallies} notes={notesOf(show.id)} />
      ) : (
        <p className="card-quiet">{quietLine(tallies)}</p>
      )}
      <div className="card-action">
        {isReviewed(show.id) && <p className="card-own">You reviewed this show</p>}
        <button
          type="button"
          className="button"
          aria-describedby={titleId}
          // Held on in the dialog, Enter would open it again as soon as it has closed.
          onKeyDown={(event) => event.repeat && event.preventDefault()}
          onClick={({ currentTarget, detail }) => {
            // The second click of a double click was meant for what was here at the first: a dialog that has closed.
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

function quietLine(tallies: Tallies | undefined): string {
  return tallies ? "No reviews yet - be the first to share your experience!" : "Reviews can't be loaded right now.";
}
