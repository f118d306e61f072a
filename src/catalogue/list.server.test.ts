import { expect, test } from "vitest";
import { byTitle } from "./list.server.ts";

const sorted = (...titles: string[]) =>
  titles
    .map((title, index) => ({ title, id: String(index) }))
    .sort(byTitle)
    .map((show) => show.title);

test("titles sort by English collation, with numbers by value (docs/product.md §2.3)", () => {
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

test("titles that differ only in case, accents or punctuation sort by id", () => {
  expect(sorted("Cafe!", "café", "CAFE")).toEqual(["Cafe!", "café", "CAFE"]);
});
