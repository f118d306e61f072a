import { expect, test } from "vitest";
import { sortByTitle } from "./list.server.ts";

test.each([
  "9 Lives|10 Things|“Apple”|banana|Éclair|Eclipse|The Ark|zoo",
  "1.5 Metres|2 Hens|007 Lives|365 Days|999 Calls|1,000 Cranes|1,001 Nights|1002 Ways|9’999 Steps|12\u202f345 Bees",
  "12345 Bees|20,000 Leagues|20,001|1,000,000 Pounds|2000000 Pounds|A",
  "1,2,3 Go|1,20 Go|1,2345 Go|123 Go",
])("titles sort by English collation, with numbers by value (docs/product.md §2.3): %s", (sorted) => {
  const shows = sorted.split("|").map((title) => ({ title, id: "1" }));
  const list = shows.toReversed();
  sortByTitle(list, (show) => show);
  expect(list).toEqual(shows);
});

test("titles that people read as equal sort by id", () => {
  const shows = ["Cafe!", "café", "CAFE"].map((title, index) => ({ title, id: String(index) }));
  const list = shows.toReversed();
  sortByTitle(list, (show) => show);
  expect(list).toEqual(shows);
});
