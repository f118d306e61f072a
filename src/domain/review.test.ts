import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanText, isPlainText, toPlainText } from "./review.ts";

test.each(["\u200b", "\u00ad", "\u2800", "\u3164", "\u034f", "\ufe0f", " \u115f\u2800\n"])(
  "notes without visible characters are null: %j (docs/product.md §5.7)",
  (notes) => {
    expect(cleanText(notes)).toBeNull();
    expect(cleanText(`${notes}x`)).not.toBeNull();
  },
);

test("cleaned notes are trimmed, without line breaks of other kinds and characters that turn text around", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(text, (notes) => {
      const clean = cleanText(toPlainText(notes)) ?? "";
      expect([clean.trim(), cleanText(clean) ?? "", isPlainText(clean)]).toEqual([clean, clean, true]);
      expect(clean).not.toMatch(/[\u202A-\u202E\u2066-\u2069\r]/);
    }),
  );
});
