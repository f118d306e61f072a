import { BLANK } from "./blank-text.ts";

/** All that ends a line in Unicode. */
const lineBreak = /\r\n|[\v\f\r\x85\u2028\u2029]/g;

/** Three line breaks or more, with nothing visible between them. */
const emptyLines = new RegExp(`\\n(?:(?:(?!\\n)[${BLANK}])*\\n){2,}`, "gu");

/** Marks above, below and around a letter. Spacing marks stand beside it, and take the width that they paint. */
const mark = /[\p{Mn}\p{Me}]/gu;
/** A letter, if there is one, with four such marks or more. What shows nothing does not end the stack. */
const stack = /(\p{L}?)([\p{Mc}\p{Cf}]*(?:[\p{Mn}\p{Me}][\p{Mc}\p{Cf}]*){4,})/gu;

/**
 * A letter with the most marks that ordinary text of its script has: cantillation, Vedic accents, vowel signs
 * with a tone, stacked consonants. U+034F parts the marks of Hebrew.
 */
const deepStack =
  /^(?=\p{L})(?:(?:[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Mymr}\p{scx=Khmr}\p{scx=Lana}]|\u034f){1,6}|\p{scx=Tibt}{1,9})$/u;

/**
 * A text of others as it is shown: at most two line breaks in a row, and at most three combining marks on a
 * letter (docs/product.md §4.3). Ordinary text of every script stays as it is.
 */
export function shownText(text: string): string {
  return text.replace(lineBreak, "\n").replace(emptyLines, "\n\n").replace(stack, boundStack);
}

function boundStack(whole: string, letter: string, marks: string): string {
  const stacked = marks.match(mark) ?? [];
  const isRepeated = new Set(stacked).size < stacked.length;
  if (!isRepeated && deepStack.test(letter + stacked.join(""))) return whole;
  let kept = 0;
  return letter + marks.replace(mark, (one) => (++kept > 3 ? "" : one));
}
