import fc from "fast-check";
import { expect, test } from "vitest";
import { byTitle, titleBeginning } from "./title-order.ts";

const sorted = (...titles: string[]) =>
  titles
    .map((title, index) => ({ title, id: String(index) }))
    .sort(byTitle)
    .map((show) => show.title);

test("titles sort as people sort them: case, accents and punctuation aside, numbers by value", () => {
  expect(sorted("zoo", "Éclair", "10 Things", "9 Lives", "“Apple”", "banana", "Eclipse", "The Ark")).toEqual([
    "9 Lives",
    "10 Things",
    "“Apple”",
    "banana",
    "Éclair",
    "Eclipse",
    "The Ark",
    "zoo",
  ]);
});

test("titles that only differ in case, accents or punctuation keep the order of their ids", () => {
  expect(sorted("Cafe!", "café", "CAFE")).toEqual(["Cafe!", "café", "CAFE"]);
});

test("titles are in the order of their beginnings, whatever stands in them", () => {
  const unit = fc.oneof(
    fc.constantFrom(..." -.,&@#$^`~+<|(\0'\u00ad’—…0012399²½³٣abzABZéøłđßæœŀĳ·\u0301\u0338\u034f한Ωж🎭"),
    fc.integer({ min: 0, max: 0x17f }).map((code) => String.fromCharCode(code)),
  );
  const title = fc.string({ unit, maxLength: 8 });
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 4 }), title, title, (common, one, other) => {
      const [a, b] = [common + one, common + other];
      const [first, second] = [titleBeginning(a), titleBeginning(b)];
      if (first === undefined || second === undefined || first === second) return;
      expect(Math.sign(byTitle({ title: a, id: "" }, { title: b, id: "" }))).toBe(Math.sign(first - second));
    }),
    { numRuns: 5_000 },
  );
});

test("all but titles in other scripts have a beginning to be ordered by", () => {
  const titles = ["The Ark", "“Éclair” – 10 Things", "", "!?", "Żółć", "Ωmega", "Plain, then Ω", "Grand, then ß"];
  expect(titles.filter((title) => titleBeginning(title) === undefined)).toEqual(["Ωmega"]);
  expect(titleBeginning("The Ark")).toBe(titleBeginning("“THÉ” – ark"));
  expect(titleBeginning("The Ark")).not.toBe(titleBeginning("The Bark"));
});
