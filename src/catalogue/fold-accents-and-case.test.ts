import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAccentsAndCase } from "./fold-accents-and-case.ts";

test.each([
  ["Café", "cafe"],
  ["CAFE\u0301", "cafe"],
  ["L’Été – “fin”", 'l\'ete - "fin"'],
  ["İstanbul", "istanbul"],
  ["ΟΔΟΣ", "οδοσ"],
  ["100% _snake_ \\o/", "100% _snake_ \\o/"],
  ["한국", "한국"],
  ["🎭 Mask", "🎭 mask"],
])("%j folds to %j", (text, folded) => {
  expect(foldAccentsAndCase(text)).toBe(folded);
});

test("an ASCII text folds the same on the fast path and on the slow one", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
      expect(`${foldAccentsAndCase(text)}:한`).toBe(foldAccentsAndCase(`${text}:한`));
    }),
  );
});
