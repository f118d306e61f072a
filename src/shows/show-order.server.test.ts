import fc from "fast-check";
import { expect, test } from "vitest";
import { byNewestReview, createShowOrder, NEVER } from "./show-order.server.ts";

/** Sizes on both sides of what one chunk holds, and changes that crowd some chunks and empty others. */
const orders = fc.record({
  size: fc.constantFrom(0, 1, 20, 256, 512, 513, 1_500),
  /** All that move go to the same place. */
  crowded: fc.boolean(),
  reviewed: fc.double({ min: 0, max: 1, noNaN: true }),
  moves: fc.array(fc.record({ number: fc.nat(1_499), latest: fc.option(fc.nat(40), { nil: NEVER }), given: fc.nat(7) }), {
    maxLength: 900,
    size: "max",
  }),
  asked: fc.array(fc.record({ from: fc.nat(1_500), most: fc.constantFrom(1, 20), share: fc.constantFrom(0, 0.01, 0.3, 1) }), { minLength: 3, maxLength: 6 }),
}); // biome-ignore format: one line each

test("after any moves the order, its counts and its slices are those of a sorted array", () => {
  fc.assert(
    fc.property(orders, ({ size, crowded, reviewed, moves, asked }) => {
      const latest = Float64Array.from({ length: size }, (_, number) =>
        number < size * reviewed ? (number * 7) % 13 : NEVER,
      );
      const given = Uint8Array.from({ length: size }, (_, number) => number % 8);
      // A prime that divides no size: each has a rank of its own.
      const ranks = Uint32Array.from({ length: size }, (_, number) => (number * 7_919) % size);
      const keys = { ranks, latest, given };
      const numbers = Uint32Array.from({ length: size }, (_, number) => number);
      const order = createShowOrder(numbers.toSorted(byNewestReview(keys)), keys);
      for (const move of moves.filter(({ number }) => number < size)) {
        order.move(move.number, () => {
          latest[move.number] = crowded ? 100 : move.latest;
          given[move.number] = move.given;
        });
      }
      const rank = (number: number) => ranks[number] ?? 0;
      const sorted = [...numbers].sort((a, b) =>
        latest[a] === latest[b] ? rank(a) - rank(b) : (latest[b] ?? 0) - (latest[a] ?? 0),
      );
      expect([...order.all()]).toEqual(sorted);
      for (let answers = 0; answers < 8; answers++) {
        const expected = sorted.filter((number) => answers === 0 || ((given[number] ?? 0) & answers) !== 0);
        expect(order.count(answers)).toBe(expected.length);
        for (const { from, most } of asked) {
          expect(order.slice(answers, from, most)).toEqual(expected.slice(from, from + most));
        }
      }
      for (const { from, most, share } of asked) {
        const some = numbers.filter((number) => (number * 37) % 100 < share * 100);
        const expected = sorted.filter((number) => some.includes(number)).slice(from, from + most);
        expect(order.sliceOf(some, from, most)).toEqual(expected);
      }
    }),
    { numRuns: 30 },
  );
});
