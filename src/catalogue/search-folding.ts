import { plainSpelling } from "./latin-letters.ts";

const ascii = /^[\0-\x7f]*$/;
/** Soft hyphens, zero-width spaces, direction marks and the like. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** Accents of Kana stay, because they make other letters. */
const accents = /(?![\u3099\u309a])\p{Script=Inherited}/gu;
const otherLatin = /(?![\0-\x7f])\p{Script=Latin}/gu;
const apostrophes = /['`\u02b9-\u02bf\u055a\u05f3\u2018-\u201b\u2032\u2035\ua78b\ua78c]/g;
/** Quotes, brackets, dashes, slashes and the like, without symbols that Unicode counts as punctuation. */
const punctuation = /[\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\u2044\u2212\u2215]|(?![%\\#&@*§¶†‡‰‱])\p{Po}/gu;

/**
 * docs/product.md §2.6. `L’Été – fin!` becomes `lete fin`; a text of only punctuation becomes empty. Upper-case
 * letters of the result are optional: `Müller` becomes `muEller`. Each character is folded by itself, so that a
 * part of a text folds to a part of the folded text.
 */
export function foldForSearch(text: string): string {
  if (ascii.test(text)) return foldCommon(text.toLowerCase());
  const decomposed = text
    .replace(ignorable, "")
    // These decompose to other characters, which would hide that they are apostrophes and quotes.
    .replaceAll("\u00b4", "'")
    .replace(/[\u2033\u2034\u2036\u2037\u2057]/g, '"')
    .replace(/[^\0-\x7f]/gu, (character) => character.normalize("NFKD"));
  const folded = decomposed
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(/([aou])\u0308/g, "$1E")
    .replaceAll("a\u030a", "aA")
    .replaceAll("ø", "oE")
    .replace(accents, "")
    .replace(otherLatin, plainSpelling);
  return foldCommon(folded);
}

function foldCommon(text: string): string {
  const words = text.replace(apostrophes, "").replace(punctuation, " ");
  return words.replaceAll("&", "and").replace(/\s+/g, " ").trim();
}

export function withoutInvisible(text: string): string {
  return text.replace(ignorable, "").replace(/\s+/g, " ").trim();
}

/** Equal for all spellings: `ae`, `oe`, `ue` and `aa` become one letter. */
export function spellingKey(folded: string): string {
  return folded.replace(/([aou])[aeAE]+/g, "$1");
}

/** Equal for equal folded titles and artists: `Müller` is `Muller`, but `Toe` is not `To` (docs/product.md §3.16). */
export function nameOf({ title, artist }: { title: string; artist: string | null }): string {
  const fold = (text: string) => shortestSpelling(foldForSearch(text)) || text;
  return `${fold(title)}\n${fold(artist ?? "")}`;
}

export function searchSpellingKey(folded: string): string {
  // A search may begin inside a spelling of the text, as with the `e` of `ue`. The text's key lacks that letter.
  return spellingKey(folded).replace(/^[ae]+/, "");
}

/** Equal to the folded text if that has no other spellings. */
export const shortestSpelling = (folded: string) => folded.replace(/[AE]/g, "");

/** Slow: for a search or text that has several spellings. */
export function containsSpelling(text: string, search: string): boolean {
  // Follows all starts at once: one by one, a search of one repeated letter would take very long.
  let ends = new Set<number>();
  for (let start = 0; start < text.length; start++)
    if (isSame(text.charAt(start), search.charAt(0))) ends.add(start);
  for (let at = 0; at < search.length && ends.size > 0; at++) {
    const letter = search.charAt(at);
    const next = new Set(isOptional(letter) ? ends : []);
    for (const end of ends) {
      if (isSame(text.charAt(end), letter)) next.add(end + 1);
      // Two optional letters never follow each other.
      if (isOptional(text.charAt(end)) && isSame(text.charAt(end + 1), letter)) next.add(end + 2);
    }
    ends = next;
  }
  return ends.size > 0;
}

function isOptional(letter: string): boolean {
  return letter === "A" || letter === "E";
}

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  return (isOptional(one) || isOptional(other)) && one.toLowerCase() === other.toLowerCase();
}

export function createSearchMatcher(search: string): (text: string) => boolean {
  const folded = foldForSearch(search);
  if (folded !== "")
    return (text) => {
      const other = foldForSearch(text);
      return other.includes(folded) || containsSpelling(other, folded);
    };
  const literal = withoutInvisible(search);
  return (text) => withoutInvisible(text).includes(literal);
}
