import type * as z from "zod/mini";
import type { talliesSchema } from "./tallies-dto.ts";

/** The answers to "Did this show involve audience interaction?", least first (docs/product.md §1.5). */
export const interactions = ["no", "very_little", "yes"] as const;

export type Interaction = (typeof interactions)[number];

/** docs/product.md §1.5 */
export const interactionLabels: Record<Interaction, string> = {
  no: "No",
  very_little: "Very little",
  yes: "Yes",
};

/** docs/product.md §1.6 */
export const interactionMeanings: Record<Interaction, string> = {
  no: "traditional performance with no audience participation",
  very_little: "minimal participation such as clapping, cheering or simple responses",
  yes: "active participation required, such as volunteers, conversation or physical involvement",
};

export type Tallies = z.infer<typeof talliesSchema>;

export type Counts = Pick<Tallies, Interaction>;

export function reviewCount(tallies: Counts): number {
  return tallies.no + tallies.very_little + tallies.yes;
}

/**
 * Null without reviews. On a tie the more interactive one wins: some visitors dread being picked on
 * (docs/product.md §3.4).
 */
export function mostCommonInteraction(tallies: Counts): Interaction | null {
  if (reviewCount(tallies) === 0) return null;
  return interactions.reduce((best, next) => (tallies[next] >= tallies[best] ? next : best));
}

/** In UTF-16 code units, as browsers and SQL's `utf16_length` count (docs/product.md §5.6). */
export const NOTES_MAX = 1000;

/** Per interaction (docs/product.md §4.1). */
export const NOTES_SHOWN = 5;

/** docs/product.md §4.8 */
export const NOTES_PAGE_SIZE = 20;
