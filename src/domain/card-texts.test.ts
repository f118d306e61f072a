import { expect, test } from "vitest";
import { cardTexts } from "./card-texts.ts";
import { type Declared, declaredBy } from "./declared.ts";
import { interactions } from "./review.ts";

const tallies = (no: number, very_little: number, yes: number) => ({ no, very_little, yes });

test.each([
  [tallies(0, 0, 1), 1, "Yes", null, "Only 1 person has said so far."],
  [tallies(1, 1, 0), 2, "Very little", "tied with No", "Only 2 people have said so far."],
  [tallies(2, 0, 1), 3, "No", null, "Only 3 people have said so far."],
  [tallies(2, 0, 2), 4, "Yes", "tied with No", "Only 4 people have said so far."],
  [tallies(2, 1, 2), 5, "Yes", "tied with No", null],
  [tallies(2, 2, 2), 6, "Yes", "tied with No and Very little", null],
  [tallies(0, 9, 9), 18, "Yes", "tied with Very little", null],
  [tallies(900, 0, 0), 900, "No", null, null],
])("the texts for %j (docs/product.md §3.4, §3.10)", (reviews, total, label, tie, fewLine) => {
  const few = fewLine !== null;
  const badge = { text: `Most common: ${label}`, tie, isOutlined: few || tie !== null };
  expect(cardTexts({ reviews }).tallies).toMatchObject({ total, few, fewLine, badge });
});

test("without reviews there is no badge", () => {
  const none = { total: 0, few: true, fewLine: null, badge: null };
  expect(cardTexts({ reviews: tallies(0, 0, 0) }).tallies).toMatchObject(none);
});

test("a tally summary has the number of reviews (docs/product.md §3.5)", () => {
  const texts = cardTexts({ reviews: tallies(1, 0, 2) }).tallies;
  const said = ["1 of 3 said No", "0 of 3 said Very little", "2 of 3 said Yes"];
  expect(interactions.map((interaction) => texts?.tallySummary(interaction))).toEqual(said);
});

test("the listing's declaration, with or without reviews (docs/product.md §3.11)", () => {
  const listingOf = (announced: Declared) => cardTexts({ announced }).listing;
  expect(listingOf("yes")).toBe("Listing: audience participation announced.");
  expect(listingOf("no")).toBe("Listing: no audience participation announced.");
  expect(listingOf("unknown")).toBe("Listing: no warnings given.");
  const alone = cardTexts({ reviews: tallies(0, 0, 9) });
  expect(alone).toMatchObject({ listing: null, contradiction: null });
});

test.each([
  ["yes", tallies(0, 0, 9), null],
  ["no", tallies(3, 2, 0), null],
  ["yes", tallies(14, 0, 0), "But nobody of 14 said Yes."],
  ["yes", tallies(4, 0, 0), null],
  ["no", tallies(3, 0, 2), "But 2 of 5 people said Yes."],
  ["no", tallies(9, 0, 1), "But 1 of 10 people said Yes."],
  ["no", tallies(10, 0, 1), null],
  ["unknown", tallies(80, 14, 25), "But 25 of 119 people said Yes."],
  ["unknown", tallies(1, 0, 3), null],
  ["unknown", undefined, null],
] as const)("declared: %s, reviews: %j: %s (docs/product.md §3.11)", (announced, reviews, line) => {
  expect(cardTexts({ reviews, announced }).contradiction).toBe(line);
});

test.each([
  [null, "unknown", []],
  [["Nudity", "Audience participation", "Haze"], "yes", ["Nudity", "Haze"]],
  [[" AUDIENCE Participation "], "yes", []],
  [["No audience participation"], "no", ["No audience participation"]],
  [["Audience participations"], "no", ["Audience participations"]],
  [["Strobe lighting"], "no", ["Strobe lighting"]],
] as const)(
  "phrases %j declare audience participation: %s, and warn of %j (docs/product.md §3.11)",
  (phrases, announced, warnings) => {
    expect(declaredBy(phrases)).toEqual({ announced, warnings });
  },
);
