import type { Declared } from "./declared.ts";
import {
  type Counts,
  type Interaction,
  interactionLabels,
  interactions,
  mostCommonInteraction,
  reviewCount,
} from "./review.ts";

/** Below it, a card says how few reviews there are (docs/product.md §3.10). */
const FEW_BELOW = 5;

export function areFew(tallies: Counts): boolean {
  return reviewCount(tallies) < FEW_BELOW;
}

/** docs/product.md §3.6 */
export const noReviews = "No reviews yet - be the first to share your experience!";

/** docs/product.md §2.22 */
export const neverReviewed = "Nobody reviewed this show.";

/** docs/product.md §3.7 */
export const unknownReviews = "Reviews can't be loaded right now.";

const listingSentences: Record<Declared, string> = {
  yes: "The listing announces audience participation.",
  no: "The listing has warnings, none of them audience participation.",
  unknown: "The listing gives no warnings.",
};

interface Known {
  reviews?: Counts | undefined;
  announced?: Declared | undefined;
  last_year?: Counts | undefined;
  year?: number;
}

/** What a card says. Null is not shown. */
export type InteractionWords = ReturnType<typeof describeInteraction>;
export type ReviewWords = ReturnType<typeof describeReviews>;

/** The words that cards, share previews and the API have in common (docs/product.md §3.4 to §3.11). */
export function describeInteraction({ reviews, announced: declared, last_year, year = 0 }: Known) {
  return {
    /** Null while they are unknown. */
    reviews: reviews ? describeReviews(reviews) : null,
    lastYear: last_year ? yearLine(last_year, year - 1) : null,
    listing: declared ? listingSentences[declared] : null,
    undeclared: reviews && declared && declared !== "yes" ? undeclaredLine(reviews) : null,
  };
}

/** docs/product.md §3.16 */
export function yearLine(tallies: Counts, year: number): string {
  const interaction = mostCommonInteraction(tallies);
  const words = interaction ? describeReviews(tallies).tallyOf(interaction) : "no reviews";
  return `In ${year}: ${words}.`;
}

export function describeReviews(tallies: Counts) {
  const total = reviewCount(tallies);
  const few = areFew(tallies);
  const people = total === 1 ? "1 person has" : `${total} people have`;
  return {
    total,
    /** Too few reviews for a badge that looks certain; also true of none. */
    few,
    badge: describeBadge(tallies, few),
    fewLine: few && total > 0 ? `Only ${people} said so far.` : null,
    tallyOf: (option: Interaction) => `${tallies[option]} of ${total} said ${interactionLabels[option]}`,
  };
}

function describeBadge(tallies: Counts, few: boolean) {
  const interaction = mostCommonInteraction(tallies);
  if (!interaction) return null;
  const tied = interactions
    .filter((option) => option !== interaction && tallies[option] === tallies[interaction])
    .map((option) => interactionLabels[option]);
  return {
    interaction,
    text: `Most common: ${interactionLabels[interaction]}`,
    tie: tied.length > 0 ? `tied with ${tied.join(" and ")}` : null,
    /** There are few reviews, or a tie. */
    isOutlined: few || tied.length > 0,
  };
}

function undeclaredLine(tallies: Counts): string | null {
  const total = reviewCount(tallies);
  if (tallies.yes === 0) return null;
  const people = total === 1 ? "the only person so far says" : `${tallies.yes} of ${total} people say`;
  return `Not announced, but ${people} so.`;
}
