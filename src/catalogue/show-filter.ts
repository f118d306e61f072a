import { areFew } from "../domain/interaction-words.ts";
import type { Counts } from "../domain/review.ts";
import type { Show } from "../domain/show.ts";
import type { ShowQuery } from "../domain/show-query.ts";

type Filters = Pick<ShowQuery, "interaction" | "announced" | "yes">;

/** Whether a list has a show, as far as the search finds it (docs/product.md §2.9, §2.20). */
export function passesFilters(
  { interaction, announced, yes }: Filters,
  show: Pick<Show, "announced">,
  reviews: Counts,
): boolean {
  return (
    (!announced || show.announced === announced) &&
    (!yes || (reviews.yes === 0 && !areFew(reviews))) &&
    (interaction.length === 0 || interaction.some((chosen) => reviews[chosen] > 0))
  );
}
