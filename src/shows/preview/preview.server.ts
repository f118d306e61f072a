import { cardTexts, noReviews, type TallyTexts } from "../../domain/card-texts.ts";
import { wasAtFringe, YEAR } from "../../domain/programme.ts";
import type { ListedShow } from "../../domain/show.ts";
import { shownText } from "../../domain/shown-text.ts";

/** A show's preview has the texts of its card (docs/product.md §3.13). */
export interface Preview {
  title: string;
  artist: string | null;
  venue: string | null;
  isCancelled: boolean;
  badge: TallyTexts["badge"];
  sentences: string[];
}

export const sitePreview: Preview = {
  title: "Will they pick on you?",
  artist: null,
  venue: null,
  isCancelled: false,
  badge: null,
  sentences: [
    "How much audience interaction the shows of the Edinburgh Festival Fringe",
    "have, from people who were there.",
  ],
};

export function previewOf(show: ListedShow): Preview {
  const { title, artist, venue_name: venue, status, year } = show;
  const { tallies, listing, undeclared } = cardTexts(show);
  const badge = tallies?.badge ?? null;
  const reviewed =
    tallies && (badge ? (tallies.fewLine ?? `${tallies.tallySummary(badge.interaction)}.`) : noReviews);
  const sentences = year < YEAR ? [wasAtFringe(year), badge && reviewed] : [reviewed, undeclared ?? listing];
  return {
    title: shownText(title),
    artist: artist && shownText(artist),
    venue: venue && shownText(venue),
    isCancelled: status === "cancelled",
    badge,
    sentences: sentences.filter((sentence) => sentence != null),
  };
}
