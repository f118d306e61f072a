import { cardTexts, noReviewsYet, type TallyTexts } from "../../domain/card-texts.ts";
import { wasAtFringe, YEAR } from "../../domain/programme.ts";
import { type Counts, interactionLabels, reviewCount } from "../../domain/review.ts";
import type { ListedShow } from "../../domain/show.ts";
import { shownText } from "../../domain/shown-text.ts";

/** What a picture and the words beside it say (docs/product.md §3.13). */
export interface Preview {
  title: string;
  artist: string | null;
  venue: string | null;
  isCancelled: boolean;
  /** The most common answer, and the counts that are drawn below it. */
  reviewed: { badge: NonNullable<TallyTexts["badge"]>; tallies: Counts } | null;
  /** Drawn as lines. */
  sentences: string[];
  description: string;
}

const question = "Will they pick on you?";
const answer =
  "How much audience interaction the shows of the Edinburgh Festival Fringe have, from people who were there.";

export const sitePreview: Preview = {
  title: question,
  artist: null,
  venue: null,
  isCancelled: false,
  reviewed: null,
  sentences: [answer],
  description: `${question} ${answer}`,
};

export function previewOf(show: ListedShow): Preview {
  const { title, artist, venue_name: venue, status, year } = show;
  const { tallies: texts, listing } = cardTexts(show);
  const reviewed = texts?.badge && show.reviews ? { badge: texts.badge, tallies: show.reviews } : null;
  const past = year < YEAR ? wasAtFringe(year) : null;
  const declared = past ? null : listing;
  const unreviewed = texts && !reviewed && !past ? noReviewsYet : null;
  const about = reviewed ? mostCommonWords(reviewed, texts?.fewLine) : unreviewed;
  return {
    title: shownText(title),
    artist: artist && shownText(artist),
    venue: venue && shownText(venue),
    isCancelled: status === "cancelled",
    reviewed,
    sentences: (reviewed ? [past, texts?.fewLine] : [past, unreviewed, declared]).filter(
      (each) => each != null,
    ),
    description: [past, about && `Audience interaction: ${about}`, declared].filter(Boolean).join(" "),
  };
}

function mostCommonWords(
  { badge, tallies }: NonNullable<Preview["reviewed"]>,
  fewLine?: string | null,
): string {
  const mostCommon = [`most common ${interactionLabels[badge.interaction]}`, badge.tie]
    .filter(Boolean)
    .join(", ");
  if (fewLine) return `${mostCommon}. ${fewLine}`;
  return `${mostCommon} (${tallies[badge.interaction]} of ${reviewCount(tallies)} people).`;
}
