import fc from "fast-check";
import { expect, test } from "vitest";
import { sortInSlices } from "./sort-in-slices.server.ts";

test("what is sorted in slices is sorted as at once, equal members in the order in which they came", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4_000), fc.integer({ min: 1, max: 300 }), fc.nat(), async (size, different, seed) => {
      const items = Array.from({ length: size }, (_, number) => ({
        key: Math.imul(number + seed, 2_654_435_761) % different,
        number,
      }));
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(await sortInSlices(items, compare)).toEqual(items.toSorted(compare));
    }),
    { numRuns: 20 },
  );
});

test("others have their turn while much is sorted", async () => {
  let turns = 0;
  let isSorted = false;
  const count = () => {
    turns++;
    if (!isSorted) setImmediate(count);
  };
  setImmediate(count);
  const items = Array.from({ length: 60_000 }, (_, number) => Math.imul(number, 2_654_435_761));
  const sorted = await sortInSlices(items, (a, b) => a - b);
  isSorted = true;
  expect(sorted).toEqual([...Int32Array.from(items).sort()]);
  expect(turns).toBeGreaterThan(3);
});
