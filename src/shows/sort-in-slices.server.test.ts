import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeInSlices, numbersFrom, sortInSlices } from "./sort-in-slices.server.ts";

/** Compares numbers by a key of which there are so many. */
const byKey = (different: number, seed: number) => (a: number, b: number) =>
  (Math.imul(a + seed, 2_654_435_761) % different) - (Math.imul(b + seed, 2_654_435_761) % different);

test("what is sorted in slices is sorted as at once, equal members in the order in which they came", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4_000), fc.integer({ min: 1, max: 300 }), fc.nat(), async (size, different, seed) => {
      const compare = byKey(different, seed);
      const numbers = numbersFrom(seed % 100, (seed % 100) + size);
      expect([...(await sortInSlices(numbers, compare))]).toEqual([...numbers].toSorted(compare));
      expect([...numbers]).toEqual(Array.from({ length: size }, (_, place) => (seed % 100) + place));
    }),
    { numRuns: 20 },
  );
});

test("two sorted lists become one, equal members of the first before those of the second", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.nat(300), fc.integer({ min: 1, max: 30 }), async (some, others, different) => {
      const compare = byKey(different, 0);
      const first = await sortInSlices(numbersFrom(some, some + others), compare);
      const second = await sortInSlices(numbersFrom(0, some), compare);
      expect([...(await mergeInSlices(first, second, compare))]).toEqual([...first, ...second].toSorted(compare));
    }),
    { numRuns: 50 },
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
  const numbers = Uint32Array.from({ length: 60_000 }, (_, number) => Math.imul(number, 2_654_435_761));
  const sorted = await sortInSlices(numbers, (a, b) => a - b);
  isSorted = true;
  expect(sorted).toEqual(numbers.toSorted());
  expect(turns).toBeGreaterThan(3);
});
