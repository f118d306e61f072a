import type { Preview } from "./preview.server.ts";

type Measure = (text: string) => number;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A word longer than `width` is broken between characters as readers see them. */
export function wrapText(text: string, width: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((whole) => breakWord(whole, width, measure))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line];
}

function breakWord(word: string, width: number, measure: Measure): string[] {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  for (const { segment } of graphemes.segment(word)) {
    if (piece !== "" && measure(piece + segment) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...pieces, piece];
}

export function truncate(text: string, width: number, measure: Measure): string {
  if (measure(text) <= width) return text;
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  while (characters.length > 0 && measure(`${characters.join("").trimEnd()}…`) > width) characters.pop();
  return `${characters.join("").trimEnd()}…`;
}

/** By its first letter with a direction (rule P2 of UAX 9). */
export function isRightToLeft(text: string): boolean {
  const first = text.match(/\p{L}/u)?.[0] ?? "";
  return /[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(first);
}

/** Empty for a text that loses most of its letters. @param ranges CSS unicode ranges */
export function createGlyphFilter(ranges: string): (text: string) => string {
  const covered = ranges
    .replaceAll("U+", "")
    .split(",")
    .map((range) =>
      range
        .split("-")
        .map((point) => `\\u{${point}}`)
        .join("-"),
    );
  const missing = new RegExp(`[^${covered.join("")}]`, "gu");
  return function toDrawable(text) {
    const composed = text.normalize("NFC");
    const drawable = composed.replace(missing, "");
    if (2 * countLetters(drawable) < countLetters(composed)) return "";
    return drawable.replaceAll("\uFE0F", "").replace(/\s+/g, " ").trim();
  };
}

function countLetters(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0;
}

/** @param toDrawable returns an empty text if nothing can be drawn */
export function headlineOf(
  { title, artist, venue }: Pick<Preview, "title" | "artist" | "venue">,
  toDrawable: (text: string) => string,
): { headline: string; facts: string[] } {
  const [name, by, place] = [toDrawable(title), toDrawable(artist ?? ""), toDrawable(venue ?? "")];
  if (name) return { headline: name, facts: [by && `by ${by}`, place].filter(Boolean) };
  if (by) return { headline: by, facts: [place].filter(Boolean) };
  return { headline: `A show at ${place || "the Edinburgh Festival Fringe"}`, facts: [] };
}
