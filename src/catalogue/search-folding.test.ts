import fc from "fast-check";
import { expect, test } from "vitest";
import { foldForSearch } from "./search-folding.ts";

test.each([
  ["Café", "cafe"],
  ["CAFE\u0301", "cafe"],
  ["L’Été – “fin”", 'l\'ete - "fin"'],
  ["İstanbul", "istanbul"],
  ["ΟΔΟΣ", "οδοσ"],
  ["100% _snake_ \\o/", "100% _snake_ \\o/"],
  ["한국", "한국"],
  ["🎭 Mask", "🎭 mask"],
  ["Jørgen Łódź", "jorgen lodz"],
  ["Straße, STRASSE, ẞ", "strasse, strasse, ss"],
  ["Ærø Œuvre Þór Đặng", "aero oeuvre thor dang"],
  ["ﬁn ｆｕｌｌ－width ĳ Ⅷ", "fin full-width ij viii"],
  ["great  haggis", "great haggis"],
  ["great\u00a0\t\u2003haggis\n", "great haggis"],
  ["\u200egr\u00adeat \u200b haggis\ufe0f", "great haggis"],
  ["Salt & Sauce", "salt and sauce"],
  ["R&B…", "randb..."],
])("%j folds to %j", (text, folded) => {
  expect(foldForSearch(text)).toBe(folded);
});

test("folding any single character is idempotent", () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    const folded = foldForSearch(String.fromCodePoint(point));
    if (foldForSearch(folded) !== folded)
      expect.fail(`U+${point.toString(16)} folds to ${folded}, which folds on`);
  }
});

test("folding is idempotent, and leaves no invisible characters and no runs of white space", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const folded = foldForSearch(text);
      expect(foldForSearch(folded)).toBe(folded);
      expect(folded).not.toMatch(/\p{Default_Ignorable_Code_Point}|\s\s|^\s|\s$/u);
    }),
    { numRuns: 5_000 },
  );
});

test("an ASCII text folds the same on the fast path and on the slow one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
      expect(`${foldForSearch(`:${text}:`)}한`).toBe(foldForSearch(`:${text}:한`));
    }),
  );
});
