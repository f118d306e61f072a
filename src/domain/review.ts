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

/** Part of a character class. U+2800 is the blank Braille pattern. */
export const BLANK = String.raw`\s\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;

const blank = new RegExp(`^[${BLANK}]*$`, "u");

export function isBlank(text: string): boolean {
  return blank.test(text);
}

/** Those of Unicode: other programs paste them. */
const lineBreaks = /\r\n?|[\v\f\x85\u2028\u2029]/g;

/** Control characters, and what changes the direction of text. */
const removed = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu;

/** What is stored of a text that is being typed: white space around it may still become part of it. */
export function toPlainText(text: string): string {
  return text.replace(lineBreaks, "\n").replace(removed, "");
}

/** Normalises texts of users for storage. Null when nothing visible is left (docs/product.md §5.7). */
export function cleanText(text: string): string | null {
  const clean = toPlainText(text)
    .replace(/\p{Cs}/gu, "")
    .trim();
  return isBlank(clean) ? null : clean;
}

/** False with control characters other than line breaks and tabs, or lone surrogates (docs/product.md §5.7). */
export function isPlainText(text: string): boolean {
  return !/\p{Cs}|[^\P{Cc}\n\r\t\v\f\x85]/u.test(text);
}
