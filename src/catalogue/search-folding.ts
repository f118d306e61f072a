import { plainSpelling } from "./latin-letters.ts";

const ascii = /^[\0-\x7f]*$/;
/** Soft hyphens, zero-width spaces, direction marks and the like. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** Accents of Kana stay, because they make other letters. */
const accents = /(?![\u3099\u309a])\p{Script=Inherited}/gu;
const otherLatin = /(?![\0-\x7f])\p{Script=Latin}/gu;
const apostrophes = /['`\u02b9-\u02bf\u055a\u05f3\u2018-\u201b\u2032\u2035\ua78b\ua78c]/g;
/** Quotes, brackets, dashes, slashes and the like, without symbols that Unicode counts as punctuation. */
const signs = /(?:[\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\u2044\u2212\u2215]|(?![%\\#&@§¶†‡‰‱])\p{Po})+/gu;

/**
 * docs/product.md §2.6. `L’Été – fin!` becomes `lete fin`; a text of only punctuation becomes empty. Upper-case
 * letters of the result are optional: `Müller` becomes `muEller`, `A.I.` becomes `aSi`, where `S` is a space. Each
 * character is folded by itself, so that a part of a text folds to a part of the folded text.
 */
export function foldForSearch(text: string): string {
  if (ascii.test(text)) return foldCommon(text.toLowerCase());
  const decomposed = text
    .replace(ignorable, "")
    // These decompose to other characters, which would hide that they are apostrophes and quotes.
    .replaceAll("\u00b4", "'")
    .replace(/[\u2033\u2034\u2036\u2037\u2057]/g, '"')
    .replace(/[^\0-\x7f]/gu, decompose);
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

/** `8½` is `8 1/2`. */
function decompose(character: string): string {
  const decomposed = character.normalize("NFKD");
  return /\d\u2044/.test(decomposed) ? ` ${decomposed}` : decomposed;
}

function foldCommon(text: string): string {
  const words = text.replace(apostrophes, "").replace(signs, toSpace);
  return words.replaceAll("&", "and").replace(/\s+/g, " ").trim();
}

/** Optional between two letters or digits. */
function toSpace(run: string, at: number, text: string): string {
  const end = at + run.length;
  const isInner =
    /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
    /^[\p{L}\p{N}]/u.test(text.slice(end, end + 2));
  return isInner ? "S" : " ";
}

/** For searches that fold to nothing: punctuation, and the few letters that count as apostrophes. */
export function foldLiterally(text: string): string {
  return text.replace(ignorable, "").replace(/\s+/g, " ").trim().toLowerCase();
}

/** Equal for all spellings: `ae`, `oe`, `ue` and `aa` become one letter. Without spaces. */
export function spellingKey(folded: string): string {
  return folded.replace(/[ S]/g, "").replace(/([aou])[aeAE]+/g, "$1");
}

/**
 * Equal for equal folded titles and artists: `Müller` is `Muller` and `A-B` is `A B`, but `Toe` is not `To`
 * (docs/product.md §3.16).
 */
export function nameOf({ title, artist }: { title: string; artist: string | null }): string {
  const fold = (text: string) => shortestSpelling(foldForSearch(text).replaceAll("S", " ")) || text;
  return `${fold(title)}\n${fold(artist ?? "")}`;
}

export function searchSpellingKey(folded: string): string {
  // A search may begin inside a spelling of the text, as with the `e` of `ue`. The text's key lacks that letter.
  return spellingKey(folded).replace(/^[ae]+/, "");
}

/** Equal to the folded text if that has no other spellings. */
export const shortestSpelling = (folded: string) => folded.replace(/[AES]/g, "");

/** @param search folded, like the texts */
export function createSpellingMatcher(search: string): (text: string) => boolean {
  if (/[AE]/.test(search)) return (text) => containsSpelling(text, search);
  const letters = search
    .split("")
    .map((letter) => patterns[letter] ?? letter.replace(/[$^\\|+*?.()[\]{}]/, "\\$&"));
  const pattern = new RegExp(letters.join("[AES]*"));
  return (text) => pattern.test(text);
}

const patterns: Readonly<Record<string, string>> = { a: "[aA]", e: "[eE]", " ": "[ S]", S: "[ S]?" };

/** Slow: a pattern would take very long for a search with many spellings. */
function containsSpelling(text: string, search: string): boolean {
  // Follows all starts at once: one by one, a search of one repeated letter would take very long.
  let ends = new Set<number>();
  for (let start = 0; start < text.length; start++)
    if (isSame(text.charAt(start), search.charAt(0))) ends.add(start);
  for (let at = 0; at < search.length && ends.size > 0; at++) {
    const letter = search.charAt(at);
    const next = new Set(isOptional(letter) ? ends : []);
    for (let end of ends) {
      if (isSame(text.charAt(end), letter)) next.add(end + 1);
      while (isOptional(text.charAt(end))) if (isSame(text.charAt(++end), letter)) next.add(end + 1);
    }
    ends = next;
  }
  return ends.size > 0;
}

const isOptional = (letter: string) => letter === "A" || letter === "E" || letter === "S";

function isSame(one: string, other: string): boolean {
  if (one === other) return true;
  return (isOptional(one) || isOptional(other)) && required(one) === required(other);
}

const required = (letter: string) => (letter === "S" ? " " : letter.toLowerCase());

export function createSearchMatcher(search: string): (text: string) => boolean {
  const folded = foldForSearch(search);
  if (folded !== "") {
    const matches = createSpellingMatcher(folded);
    return (text) => matches(foldForSearch(text));
  }
  const literal = foldLiterally(search);
  return (text) => foldLiterally(text).includes(literal);
}
