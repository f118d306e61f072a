import { expect, test } from "vitest";
import { expand, phrases, titleCase } from "./grammar.ts";
import { seededRandom } from "./random.ts";

const grammar = {
  noun: ["otter"],
  phrase: ["{adj} {noun}"],
  adj: ["damp"],
  hour: ["hour"],
  unit: ["unit"],
  of: ["man of the hour"],
};
const expandPhrase = (phrase: string) => expand(phrase, grammar, seededRandom(1));

test("a slot is filled from its list, to any depth", () => {
  expect(expandPhrase("the {phrase}'s {noun}")).toBe("the damp otter's otter");
});

test("a slot with a capital letter is filled in title case", () => {
  expect(expandPhrase("The {Phrase}: {Of}")).toBe("The Damp Otter: Man of the Hour");
  expect(titleCase("été à la plage")).toBe("Été À La Plage");
});

test("the article fits the next word", () => {
  expect(expandPhrase("{a noun}, {A phrase}, {a hour}, {a unit}")).toBe(
    "an otter, A damp otter, an hour, a unit",
  );
});

test("a slot without a list is an error, not a gap", () => {
  expect(() => expandPhrase("{nuon}")).toThrow("no list called nuon");
});

test("phrases are separated by bars and lines", () => {
  expect(phrases("\n  a b | c\n  d |\n")).toEqual(["a b", "c", "d"]);
});
