import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText, isPlainText } from "./text.ts";

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j (docs/product.md §5.7)",
  (notes) => {
    expect(cleanText(notes)).toBeNull();
    expect(cleanText(`${notes}x`)).not.toBeNull();
  },
);

/** What word processors, terminals and spreadsheets put on the clipboard. */
test.each([
  ["Row A\vRow B\fRow C", "Row A\nRow B\nRow C"],
  ["one\u0085two\u2028three\u2029four", "one\ntwo\nthree\nfour"],
  ["a\r\nb\rc\r\r\nd\n\re", "a\nb\nc\n\nd\n\ne"],
  ["\u0085\u2029 In the stalls \v", "In the stalls"],
  ["\u001b[1mLoud\u001b[0m\u0007", "[1mLoud[0m"],
  ["a\0b\u007fc\u009fd\te", "abcd\te"],
  ["half \ud83c of a \udfad mask 🎭", "half  of a  mask 🎭"],
  ["\0\u0008\v\u0085", null],
])("the text %j is stored as %j", (text, stored) => {
  expect(cleanText(text)).toBe(stored);
});

test("cleaned notes are trimmed, without line breaks of other kinds and characters that turn text around", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(text, (notes) => {
      const clean = cleanText(notes) ?? "";
      expect([clean.trim(), cleanText(clean) ?? "", isPlainText(clean)]).toEqual([clean, clean, true]);
      expect(clean).not.toMatch(/[\u202A-\u202E\u2066-\u2069\r\v\f\x85\u2028\u2029]/);
    }),
  );
});
