import type { Declared } from "./declared.ts";
import {
  type Counts,
  type Interaction,
  interactionLabels,
  interactions,
  mostCommonInteraction,
  reviewCount,
} from "./review.ts";
import type { ListedShow } from "./show.ts";

/** Below it, a card says how few reviews there are (docs/product.md §3.10). */
export const FEW_BELOW = 5;

export function areFew(tallies: Counts): boolean {
  return reviewCount(tallies) < FEW_BELOW;
}

/** Of shows with one title and artist, the venue tells which it is (docs/product.md §2.21, §3.13). */
export function distinctTitle({
  title,
  venue_name,
  has_namesake,
}: Pick<ListedShow, "title" | "venue_name" | "has_namesake">): string {
  return has_namesake && venue_name ? `${title}, ${venue_name}` : title;
}

/** docs/product.md §3.6 */
export const noReviewsYet = "No reviews yet - be the first to share your experience!";

/** docs/product.md §2.22 */
export const neverReviewed = "Nobody reviewed this show.";

/** docs/product.md §3.7 */
export const unknownReviews = "Reviews can't be loaded right now.";

export const listingSentences: Record<Declared, string> = {
  yes: "Listing: audience participation announced.",
  no: "Listing: no audience participation announced.",
  unknown: "Listing: no warnings given.",
};

interface KnownOfShow {
  reviews?: Counts | undefined;
  announced?: Declared | undefined;
  last_year?: Counts | undefined;
  year?: number;
}

/** Null is not shown. `tallies` is null while they are unknown. */
export type CardTexts = ReturnType<typeof cardTexts>;
export type TallyTexts = ReturnType<typeof tallyTexts>;

/** The texts that cards and share previews have in common (docs/product.md §3.4 to §3.11). */
export function cardTexts({ reviews: tallies, announced: declared, last_year, year = 0 }: KnownOfShow) {
  return {
    tallies: tallies ? tallyTexts(tallies) : null,
    lastYear: last_year ? yearLine(last_year, year - 1) : null,
    listing: declared ? listingSentences[declared] : null,
    contradiction: tallies && declared ? contradictionOf(tallies, declared) : null,
  };
}

/** docs/product.md §3.16 */
export function yearLine(tallies: Counts, year: number): string {
  const interaction = mostCommonInteraction(tallies);
  const summary = interaction ? tallyTexts(tallies).tallySummary(interaction) : "no reviews";
  return `In ${year}: ${summary}.`;
}

export function tallyTexts(tallies: Counts) {
  const total = reviewCount(tallies);
  const few = areFew(tallies);
  const people = total === 1 ? "1 person has" : `${total} people have`;
  return {
    total,
    /** Also true without reviews: the badge must not look certain. */
    few,
    badge: describeBadge(tallies, few),
    fewLine: few && total > 0 ? `Only ${people} said so far.` : null,
    tallySummary: (interaction: Interaction) =>
      `${tallies[interaction]} of ${total} said ${interactionLabels[interaction]}`,
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
    /** With few reviews, or a tie. */
    isOutlined: few || tied.length > 0,
  };
}

/** What enough reviews say against the listing (docs/product.md §3.11). */
function contradictionOf(tallies: Counts, declared: Declared): string | null {
  const total = reviewCount(tallies);
  if (areFew(tallies)) return null;
  if (declared === "yes") return tallies.yes === 0 ? `But nobody of ${total} said Yes.` : null;
  return tallies.yes * 10 >= total ? `But ${tallies.yes} of ${total} people said Yes.` : null;
}
