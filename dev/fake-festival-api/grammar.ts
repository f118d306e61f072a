import type { Random } from "./random.ts";

/** A phrase may name other lists: `The {Adj} {Noun}`, `in {a noun}`. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

/** Splits at `|` and line breaks. */
export function phrases(text: string): string[] {
  return text
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter(Boolean);
}

const slot = /\{(an? )?(\w+)\}/gi;
const smallWords = new Set([
  "a",
  "an",
  "and",
  "at",
  "by",
  "for",
  "from",
  "in",
  "into",
  "of",
  "on",
  "or",
  "the",
  "to",
  "with",
]);

/**
 * Replaces every `{slot}` by a random pick from that list, recursively. `{Noun}` gives title case, `{a noun}` the
 * right article. @throws Error when the grammar has no such list
 */
export function expand(phrase: string, grammar: Grammar, random: Random): string {
  return phrase.replace(slot, (_, article: string | undefined, name: string) => {
    const list = grammar[name] ?? grammar[name.charAt(0).toLowerCase() + name.slice(1)];
    if (!list) throw new Error(`The grammar has no list called ${name}`);
    const plain = expand(random.pick(list), grammar, random);
    const text = /^[A-Z]/.test(name) ? titleCase(plain) : plain;
    return article ? `${articleFor(article, text)} ${text}` : text;
  });
}

function articleFor(written: string, text: string): string {
  const an = /^[aeiou8]|^h(?:ou?r|onest)/i.test(text) && !/^(?:uni|use|eur|one)/i.test(text);
  return `${written.charAt(0)}${an ? "n" : ""}`;
}

/** Small words inside stay in lower case. */
export function titleCase(text: string): string {
  return text
    .split(" ")
    .map((word, index) =>
      index > 0 && smallWords.has(word) ? word : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(" ");
}
