import { compile, type HtmlToTextOptions } from "html-to-text";

/** Longer descriptions are cut here, in UTF-16 code units, before they are read. Real ones have some 500. */
const LONGEST_DESCRIPTION = 50_000;

const whitespaceCharacters = " \t\r\n\f";

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
  selector,
  options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 2 },
}));

const htmlOptions: HtmlToTextOptions = {
  wordwrap: false,
  whitespaceCharacters,
  baseElements: { selectors: [] },
  limits: { maxDepth: 100 },
  selectors: [
    ...headings,
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    { selector: "hr", format: "skip" },
    { selector: "ul", options: { itemPrefix: "• " } },
    { selector: "tr", format: "block" },
    { selector: "td", format: "inlineSurround", options: { suffix: " " } },
  ],
};

const readHtml = compile(htmlOptions);
const readPlain = compile({ wordwrap: false, whitespaceCharacters, preserveNewlines: true });

const tag = /<(?:\/?[a-z][^<>]*|!--)>?/i;
const lineEnd = /\r\n?|[\u2028\u2029]/g;
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Lone surrogates and control characters but line feeds: no text has a use for them, and PostgreSQL refuses some. */
const unwanted = /[\p{Cs}[\p{Cc}--\n]]/gv;

/**
 * A text as one line: entities decoded, runs of any white space made one space, and nothing else touched, so that
 * `I <3 Leith` stays. Null when nothing visible is left.
 */
export function readLine(text: string): string | null {
  return orNull(decodeEntities(text).replace(/\s+/g, " ").replace(unwanted, "").trim());
}

/**
 * A description, be it HTML or plain, as plain text: paragraphs are parted by an empty line, links are their text, images
 * are gone. Null when nothing visible is left.
 */
export function readDescription(description: string): string | null {
  const text = description.slice(0, LONGEST_DESCRIPTION).replace(lineEnd, "\n");
  return orNull(
    (tag.test(text) ? readHtml(text) : decodeEntities(text))
      .replace(/[^\S\n]+/g, " ")
      .replace(unwanted, "")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
  );
}

/** Decodes entities and leaves the rest: with every `<` escaped there is no tag to be found. Most texts have none. */
function decodeEntities(text: string): string {
  return text.includes("&") ? readPlain(text.replaceAll("<", "&lt;")) : text;
}

function orNull(text: string): string | null {
  return visible.test(text) ? text : null;
}
