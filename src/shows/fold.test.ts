import { expect, test } from "vitest";
import { fold } from "./fold.ts";

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
  expect(fold(text)).toBe(folded);
});
