import { expect, test } from "vitest";
import { byTitle } from "./list.server.ts";

const sorted = (...titles: string[]) =>
  titles
    .map((title, index) => ({ title, id: String(index) }))
    .sort(byTitle)
    .map((show) => show.title);

test("titles sort by English collation, with numbers by value, then by id (docs/product.md §2.3)", () => {
  const expected = ["9 Lives", "10 Things", "“Apple”", "banana", "Éclair", "Eclipse", "The Ark", "zoo"];
  expect(sorted("zoo", "Éclair", "10 Things", "9 Lives", "“Apple”", "banana", "Eclipse", "The Ark")).toEqual(
    expected,
  );
  expect(sorted("Cafe!", "café", "CAFE")).toEqual(["Cafe!", "café", "CAFE"]);
});
