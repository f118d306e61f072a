import { expect, test } from "vitest";
import { createGlyphFilter, headlineOf, isRightToLeft, truncate, wrapText } from "./text-layout.server.ts";

/** Ten pixels for each code point. */
const measure = (text: string) => 10 * [...text].length;

test("a text is wrapped at its spaces, and a wider word between characters, never within an emoji", () => {
  expect(wrapText("The Human Pyramid of Leith", 110, measure)).toEqual(["The Human", "Pyramid of", "Leith"]);
  expect(wrapText("", 110, measure)).toEqual([""]);
  expect(wrapText("GnurpGnurp!", 50, measure)).toEqual(["Gnurp", "Gnurp", "!"]);
  expect(wrapText("ab👩‍👩‍👧cd", 50, measure)).toEqual(["ab", "👩‍👩‍👧", "cd"]);
});

test("a text that is too wide is cut and ends with an ellipsis", () => {
  expect(truncate("Moth Hour", 90, measure)).toBe("Moth Hour");
  expect(truncate("Moth Hours", 60, measure)).toBe("Moth…");
});

test.each([
  ["Moth Hour", false],
  ["(2025) מופע", true],
  ["«مسرحية» new", true],
  ["Clowns مسرحية", false],
  ["2025!", false],
])("the first letter of %j decides the direction", (text, expected) => {
  expect(isRightToLeft(text)).toBe(expected);
});

test.each([
  ["0000-00FF", "夜の歌 2025!", ""],
  ["0000-00FF", "ночь и Owl", ""],
  ["0000-00FF", "Owls 夜の", "Owls"],
  ["0000-00FF", "1984!", "1984!"],
  ["0000-00FF", "🦉", ""],
  ["0000-00FF,U+2764,U+FE0F", "漢字 Night ❤️ Café 日本", "Night ❤ Café"],
  // Decomposed accents.
  ["0000-017F", "S\u030Ckoda A\u030Alesund z\u0307uk n\u030C q\u030C", "Škoda Ålesund żuk ň q"],
])("fonts with U+%s draw of %j what they have, or nothing: %j", (range, text, drawable) => {
  expect(createGlyphFilter(`U+${range}`)(text)).toBe(drawable);
});

test("in place of a title that cannot be drawn stands the artist, or the venue", () => {
  const toDrawable = createGlyphFilter("U+0000-00FF");
  const headline = (title: string, artist: string | null, venue: string | null) =>
    headlineOf({ title, artist, venue }, toDrawable);
  expect(headline("Owls", "Ada", "The Dock")).toEqual({ headline: "Owls", facts: ["by Ada", "The Dock"] });
  expect(headline("Owls", "夜", null)).toEqual({ headline: "Owls", facts: [] });
  expect(headline("夜の歌", "Ada", "The Dock")).toEqual({ headline: "Ada", facts: ["The Dock"] });
  expect(headline("夜の歌", "夜", "The Dock")).toEqual({ headline: "A show at The Dock", facts: [] });
  expect(headline("夜の歌", null, null).headline).toBe("A show at the Edinburgh Festival Fringe");
});
