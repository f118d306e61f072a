import { expect, test } from "vitest";
import { byTitle } from "./title-collation.ts";

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
