import { BLANK } from "./blank.ts";

const lineBreak = /\r\n|[\v\f\r\x85\u2028\u2029]/g;

/** Line breaks with nothing visible between them. */
const emptyLines = new RegExp(`\\n(?:(?:(?!\\n)[${BLANK}])*\\n){2,}`, "gu");

/** Without spacing marks, which have a width of their own. */
const mark = /[\p{Mn}\p{Me}]/gu;
/** All marks in a row, with their letter if there is one. Invisible characters do not end the stack. */
const stack = /(\p{L}?)([\p{M}\p{Cf}]+)/gu;

/**
 * The most marks that ordinary text of a script has: cantillation, Vedic accents, vowel signs with a tone,
 * stacked consonants. U+034F parts the marks of Hebrew.
 */
const deepStack =
  /^(?=\p{L})(?:(?:[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Mymr}\p{scx=Khmr}\p{scx=Lana}]|\u034f){1,6}|\p{scx=Tibt}{1,9})$/u;

/**
 * At most two line breaks in a row, and three combining marks on a letter (docs/product.md §4.3). Ordinary
 * text of every script stays as it is.
 */
export function shownText(text: string): string {
  return text.replace(lineBreak, "\n").replace(emptyLines, "\n\n").replace(stack, boundStack);
}

function boundStack(whole: string, letter: string, marks: string): string {
  const stacked = marks.match(mark) ?? [];
  if (stacked.length < 4) return whole;
  const isRepeated = new Set(stacked).size < stacked.length;
  if (!isRepeated && deepStack.test(letter + stacked.join(""))) return whole;
  let kept = 0;
  return letter + marks.replace(mark, (one) => (++kept > 3 ? "" : one));
}
