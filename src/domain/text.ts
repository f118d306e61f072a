import { isBlank } from "./blank.ts";

/** Those of Unicode: other programs paste them. */
const lineBreaks = /\r\n?|[\v\f\x85\u2028\u2029]/g;

/** Control characters, and what changes the direction of text. */
const removed = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu;

/** What is stored of a text that is being typed: white space around it may still become part of it. */
export function toPlainText(text: string): string {
  return text.replace(lineBreaks, "\n").replace(removed, "");
}

/** Normalises texts of users for storage. Null when nothing visible is left (docs/product.md §5.7). */
export function cleanText(text: string): string | null {
  const clean = toPlainText(text)
    .replace(/\p{Cs}/gu, "")
    .trim();
  return isBlank(clean) ? null : clean;
}

/** False with control characters other than line breaks and tabs, or lone surrogates (docs/product.md §5.7). */
export function isPlainText(text: string): boolean {
  return !/\p{Cs}|[^\P{Cc}\n\r\t\v\f\x85]/u.test(text);
}
