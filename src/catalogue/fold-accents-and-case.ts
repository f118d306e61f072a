const ascii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]/g;
const singleQuotes = /[\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`]/g;
const doubleQuotes = /[\u201c\u201d\u201e\u201f\u2033]/g;
const dashes = /[\u2010-\u2015\u2212]/g;

/**
 * Folds a text for search: removes the differences of case, accents, quotes and dashes (docs/product.md
 * §2.6). `foldAccentsAndCase("Café – L’Été")` is `"cafe - l'ete"`.
 */
export function foldAccentsAndCase(text: string): string {
  // The fast path for most texts.
  if (ascii.test(text)) return text.toLowerCase().replaceAll("`", "'");
  return text
    .normalize("NFD")
    .replace(accents, "")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replace(singleQuotes, "'")
    .replace(doubleQuotes, '"')
    .replace(dashes, "-")
    .normalize("NFC");
}
