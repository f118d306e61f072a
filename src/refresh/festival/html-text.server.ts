import { compile, type HtmlToTextOptions } from "html-to-text";

const whitespaceCharacters = " \t\r\n\f";

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
  selector,
  options: { uppercase: false, leadingLineBreaks: 2, trailingLineBreaks: 2 },
}));

const htmlOptions: HtmlToTextOptions = {
  wordwrap: false,
  whitespaceCharacters,
  baseElements: { selectors: [] },
  limits: { maxDepth: 20 },
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

const htmlToText = compile(htmlOptions);
const plainToText = compile({ wordwrap: false, whitespaceCharacters, preserveNewlines: true });

const encoded = (code: string) => `&(?:amp;)*(?:${code});`;
const [lessThan, greaterThan] = [encoded("lt|#0*60|#x0*3c"), encoded("gt|#0*62|#x0*3e")];
/** Tags in entities, also doubly encoded ones. `I &lt;3 Leith` has none. */
const encodedTag = new RegExp(
  `${lessThan}((?:/?[a-z]|!)(?:(?!${lessThan}|${greaterThan})[^<>])*)${greaterThan}`,
  "gi",
);
const tag = /<(?:\/?[a-z][^<>]*|!--)>?/i;
const lineEnd = /\r\n?|[\u2028\u2029]/g;
const entity = /&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/i;
/** The API encodes some texts twice. */
const MAX_DECODINGS = 3;
const controlCharacters = /[\x80-\x9f]/g;
/** The characters of U+0080 to U+009F in Windows-1252. */
const windows1252 = new TextDecoder("windows-1252").decode(
  Uint8Array.from({ length: 32 }, (_, n) => 0x80 + n),
);
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** JavaScript counts it as white space. */
const byteOrderMarks = /\ufeff/g;
/** PostgreSQL refuses some of these. Direction characters would turn around the tab's title, and other sentences. */
const invalidCharacters = /[\p{Cs}\p{Bidi_Control}[\p{Cc}--\s]]/gv;

/** Keeps tags, so that `I <3 Leith` survives. Null if nothing visible is left (docs/product.md §7.6). */
export function toPlainLine(text: string): string | null {
  const decoded = decodeWindows1252(decodeEntities(text)).replace(byteOrderMarks, "");
  return nullIfBlank(decoded.replace(invalidCharacters, "").replace(/\s+/g, " ").trim());
}

/** Paragraphs are separated by an empty line; links become their text. Null if nothing visible is left. */
export function toPlainText(description: string): string | null {
  const text = description.replace(lineEnd, "\n").replace(encodedTag, "<$1>");
  return nullIfBlank(
    decodeWindows1252(decodeEntities(tag.test(text) ? htmlToText(text) : text))
      .replace(byteOrderMarks, "")
      .replace(invalidCharacters, "")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
  );
}

/** Escapes every `<`, so that the parser finds no tags. */
export function decodeEntities(text: string): string {
  let decoded = text;
  for (let count = 0; count < MAX_DECODINGS && entity.test(decoded); count++)
    decoded = plainToText(decoded.replaceAll("<", "&lt;"));
  return decoded;
}

/** C1 control characters were meant as the quotes and dashes of Windows-1252. */
function decodeWindows1252(text: string): string {
  return text.replace(controlCharacters, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? "");
}

function nullIfBlank(text: string): string | null {
  return visible.test(text) ? text : null;
}
