import fc from "fast-check";
import { expect, test } from "vitest";
import { sortByTitle } from "./sort-by-title.server.ts";
import { numbersFrom } from "./sort-in-slices.server.ts";
import { byTitle } from "./title-order.ts";

test("shows are sorted as by comparing every title with every other", async () => {
  const word = fc.constantFrom("a", "A", "é", "the ", "“", "-", "1", "01", "20", "²", "Ω", "한", "ß", "$", "\0");
  const title = fc.array(word, { maxLength: 8 }).map((words) => words.join(""));
  await fc.assert(
    fc.asyncProperty(fc.array(title, { maxLength: 300, size: "max" }), async (titles) => {
      const shows = titles.map((title, number) => ({ title, id: String((number * 7) % 300) }));
      const show = (number: number) => shows[number] ?? { title: "", id: "" };
      const compare = (a: number, b: number) => byTitle(show(a), show(b));
      const sorted = await sortByTitle(numbersFrom(0, shows.length), (number) => show(number).title, compare);
      expect([...sorted].map(show)).toEqual(shows.toSorted(byTitle));
    }),
    { numRuns: 50 },
  );
});
