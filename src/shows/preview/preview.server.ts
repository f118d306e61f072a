import { type Badge, describeInteraction, noReviews } from "../../domain/interaction-words.ts";
import type { ListedShow } from "../../domain/show.ts";

/** What a show's preview picture says, in the words of its card (docs/product.md §3.13). */
export interface Preview {
  title: string;
  artist: string | null;
  venue: string | null;
  isCancelled: boolean;
  /** The badge; null without reviews. */
  badge: Badge | null;
  /** At most two sentences about audience interaction, of the reviews and of the listing. */
  sentences: string[];
}

/** What a show's preview says now. */
export function previewOf(show: ListedShow): Preview {
  const { title, artist, venue_name: venue, status } = show;
  const { reviews, listing, unannounced } = describeInteraction(show);
  const badge = reviews?.badge ?? null;
  const reviewed =
    reviews && (badge ? (reviews.fewLine ?? `${reviews.tallyOf(badge.interaction)}.`) : noReviews);
  return {
    title,
    artist,
    venue,
    isCancelled: status === "cancelled",
    badge,
    sentences: [reviewed, unannounced ?? listing].filter((sentence) => sentence != null),
  };
}
