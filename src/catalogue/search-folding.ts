import anyAscii from "any-ascii";

const ascii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]/g;
const singleQuotes = /[\u2018\u2019\u201a\u201b\u2032\u02bc`]/g;
const doubleQuotes = /[\u201c\u201d\u201e\u201f\u2033]/g;
const dashes = /[\u2010-\u2015\u2212]/g;
/** Soft hyphens, zero-width spaces, direction marks and other characters that are not visible. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** Letters that Unicode does not decompose, such as ø, ł, ß and æ. */
const otherLatin = /(?![\0-\x7f])\p{Script=Latin}/gu;

/**
 * Folds a text for search: what it removes makes no difference to a match (docs/product.md §2.6), such as
 * case, accents, kinds of quotes and dashes, and invisible characters. `foldForSearch("Café – L’Été")` is
 * `"cafe - l'ete"`. Scripts other than Latin keep their letters.
 */
export function foldForSearch(text: string): string {
  // The fast path for most texts.
  if (ascii.test(text)) return foldCommon(text.toLowerCase().replaceAll("`", "'"));
  const folded = text
    .replace(ignorable, "")
    // These two have decompositions that would hide what they stand for.
    .replaceAll("\u00b4", "'")
    .replace(doubleQuotes, '"')
    .normalize("NFKD")
    .replace(accents, "")
    .replace(otherLatin, (letter) => anyAscii(letter))
    .replace(singleQuotes, "'")
    .replace(dashes, "-")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFC");
  return foldCommon(folded);
}

function foldCommon(text: string): string {
  return text.replaceAll("&", "and").replace(/\s+/g, " ").trim();
}
