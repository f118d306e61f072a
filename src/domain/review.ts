import * as z from "zod/mini";

/** The three answers to "Did this show involve audience interaction?", least interactive first. */
export const interactions = ["no", "very_little", "yes"] as const;

export type Interaction = (typeof interactions)[number];

/** Short labels, on tallies and in the badge `Most common: …` (docs/product.md §1.5). */
export const interactionLabels: Record<Interaction, string> = {
  no: "No",
  very_little: "Very little",
  yes: "Yes",
};

export const count = z.int().check(z.minimum(0));

/** A time in ISO 8601, UTC. */
export const moment = z.iso.datetime();

/** How many reviews of one show gave each answer, and when the newest was written; null without reviews. */
export const talliesSchema = z.object({ no: count, very_little: count, yes: count, latest_at: z.nullable(moment) });

export type Tallies = z.infer<typeof talliesSchema>;

/** Tallies with how many times they have changed: of two, those that changed more often are the newer. */
export type RevisedTallies = Tallies & { revision: number };

/** The number of reviews that the tallies count. */
export function reviewCount(tallies: Tallies): number {
  return tallies.no + tallies.very_little + tallies.yes;
}

/**
 * The answer most reviews gave, or null without reviews. A tie goes to the more interactive answer: people who
 * dread being picked on must not be misled.
 */
export function mostCommonInteraction(tallies: Tallies): Interaction | null {
  if (reviewCount(tallies) === 0) return null;
  return interactions.reduce((best, interaction) => (tallies[interaction] >= tallies[best] ? interaction : best));
}

/** The most that notes may hold, in UTF-16 code units, as browsers count (docs/product.md §5.6). */
export const NOTES_MAX = 1000;

/** Notes shown of each answer (docs/product.md §4.1). */
export const NOTES_SHOWN = 5;

/** Characters that turn the direction of the text around them, and are not seen themselves. */
const directionOverrides = /[\u202A-\u202E\u2066-\u2069]/g;

/** Nothing that could be seen: the last one is the empty pattern of Braille. */
const blank = /^[\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * Notes as they are stored: one kind of line break, no direction overrides, no white space around. Null when
 * nothing is left.
 */
export function cleanNotes(text: string): string | null {
  const clean = text.replace(/\r\n?/g, "\n").replace(directionOverrides, "").trim();
  return blank.test(clean) ? null : clean;
}

/** What plain text does not hold: control characters but line breaks and tabs, and halves of characters. */
const notPlain = /\p{Cs}|[^\P{Cc}\n\r\t]/gu;

/** Whether the text holds only what notes may. */
export function isPlainText(text: string): boolean {
  return text.search(notPlain) < 0;
}

/** The text without what notes may not hold. */
export function toPlainText(text: string): string {
  return text.replace(notPlain, "");
}
