import { firstOf } from "./first-of.ts";

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

/**
 * Compares shows by title as people sort titles: case, accents and punctuation aside, numbers by value; then by id, so
 * that the order is total (decisions, "The list").
 */
export function byTitle(a: { title: string; id: string }, b: { title: string; id: string }): number {
  return compareTitles(a.title, b.title) || compareIds(a.id, b.id);
}

export const compareTitles = collator.compare;

export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Characters that count for a beginning, and bits for each: together an integer that V8 keeps without an object. */
const LENGTH = 5;
const BITS = 6;

/** What a character weighs that is of no account, or that only the collator can place. What is past the end weighs 0. */
const IGNORED = 2 ** BITS;
const UNKNOWN = IGNORED + 1;

/** What has a place of its own in the order, the lightest first. One digit stands for all: numbers are ordered by value. */
const ordered = Array.from({ length: 128 }, (_, unit) => String.fromCharCode(unit))
  .filter((character) => collator.compare(character, "") !== 0 && !/[1-9]/.test(character))
  .sort(collator.compare);
const DIGIT = weigh("0");

/** By code unit, of Latin letters and usual punctuation. In no other script is a character weighed by itself. */
const weights = new Uint8Array(0x2028).fill(UNKNOWN);
for (let unit = 0; unit < 0x180; unit++) weights[unit] = weigh(String.fromCharCode(unit));
for (let unit = 0x2010; unit < 0x2028; unit++) weights[unit] = weigh(String.fromCharCode(unit));

/**
 * How a title begins, as a number: of two titles the one with the lower number comes first, and of the same number either may.
 * Undefined where only a comparison of the whole titles can tell.
 */
export function titleBeginning(title: string): number | undefined {
  let beginning = 0;
  let counted = 0;
  for (let index = 0; index < title.length && counted < LENGTH; index++) {
    const weight = weights[title.charCodeAt(index)] ?? UNKNOWN;
    if (weight === UNKNOWN) return undefined;
    if (weight === IGNORED) continue;
    beginning = (beginning << BITS) | weight;
    counted++;
    if (weight === DIGIT) break;
  }
  return beginning << (BITS * (LENGTH - counted));
}

/** As much as a character of ASCII, or unknown: it may weigh as much as two, or be a digit of another kind. */
function weigh(character: string): number {
  if (collator.compare(character, "") === 0) return IGNORED;
  const place = firstOf(ordered.length, (other) => collator.compare(ordered[other] ?? "", character) >= 0);
  const isKnown = collator.compare(ordered[place] ?? "", character) === 0;
  return isKnown ? 1 + place : /[1-9]/.test(character) ? DIGIT : UNKNOWN;
}
