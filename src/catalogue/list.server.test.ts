import { expect, test } from "vitest";
import { sortByTitle } from "./list.server.ts";

function sorted(...titles: string[]) {
  const shows = titles.map((title, index) => ({ title, id: String(index) }));
  sortByTitle(shows, (show) => show);
  return shows.map((show) => show.title);
}

test("titles sort by English collation, with numbers by value, then by id (docs/product.md §2.3)", () => {
  const expected = ["9 Lives", "10 Things", "“Apple”", "banana", "Éclair", "Eclipse", "The Ark", "zoo"];
  expect(sorted("zoo", "Éclair", "10 Things", "9 Lives", "“Apple”", "banana", "Eclipse", "The Ark")).toEqual(
    expected,
  );
  expect(sorted("Cafe!", "café", "CAFE")).toEqual(["Cafe!", "café", "CAFE"]);
  const numbers = [
    "1.5 Metres",
    "2 Hens",
    "007 Lives",
    "365 Days",
    "999 Calls",
    "1,000 Cranes",
    "1,001 Nights",
    "1002 Ways",
  ];
  const larger = [
    "9’999 Steps",
    "12\u202f345 Bees",
    "20,000 Leagues",
    "20,001",
    "1,000,000 Pounds",
    "2000000 Pounds",
    "A",
  ];
  expect(sorted(...[...numbers, ...larger].reverse())).toEqual([...numbers, ...larger]);
  expect(sorted("1,2,3 Go", "1,20 Go", "123 Go", "1,2345 Go")).toEqual([
    "1,2,3 Go",
    "1,20 Go",
    "1,2345 Go",
    "123 Go",
  ]);
});
