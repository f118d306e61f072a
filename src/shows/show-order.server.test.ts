import fc from "fast-check";
import { expect, test } from "vitest";
import { byNewestReview, createShowOrder, NEVER } from "./show-order.server.ts";

/** Sizes on both sides of what one chunk holds, and changes that crowd some chunks and empty others. */
const orders = fc.record({
  size: fc.constantFrom(0, 1, 20, 256, 512, 513, 1_500),
  /** All that move go to the same place. */
  crowded: fc.boolean(),
  reviewed: fc.double({ min: 0, max: 1, noNaN: true }),
  moves: fc.array(fc.record({ rank: fc.nat(1_499), latest: fc.option(fc.nat(40), { nil: NEVER }), given: fc.nat(7) }), {
    maxLength: 900,
    size: "max",
  }),
  asked: fc.array(fc.record({ from: fc.nat(1_500), most: fc.constantFrom(1, 20), share: fc.constantFrom(0, 0.01, 0.3, 1) }), { minLength: 3, maxLength: 6 }),
}); // biome-ignore format: one line each

test("after any moves the order, its counts and its slices are those of a sorted array", () => {
  fc.assert(
    fc.property(orders, ({ size, crowded, reviewed, moves, asked }) => {
      const latest = Float64Array.from({ length: size }, (_, rank) =>
        rank < size * reviewed ? (rank * 7) % 13 : NEVER,
      );
      const given = Uint8Array.from({ length: size }, (_, rank) => rank % 8);
      const keys = { latest, given };
      const ranks = Array.from({ length: size }, (_, rank) => rank);
      const order = createShowOrder(ranks.toSorted(byNewestReview(keys)), keys);
      for (const move of moves.filter(({ rank }) => rank < size)) {
        order.move(move.rank, () => {
          latest[move.rank] = crowded ? 100 : move.latest;
          given[move.rank] = move.given;
        });
      }
      const sorted = ranks.toSorted((a, b) => (latest[a] === latest[b] ? a - b : (latest[b] ?? 0) - (latest[a] ?? 0)));
      for (let answers = 0; answers < 8; answers++) {
        const expected = sorted.filter((rank) => answers === 0 || ((given[rank] ?? 0) & answers) !== 0);
        expect(order.count(answers)).toBe(expected.length);
        for (const { from, most } of asked) {
          expect(order.slice(answers, from, most)).toEqual(expected.slice(from, from + most));
        }
      }
      for (const { from, most, share } of asked) {
        const some = ranks.filter((rank) => (rank * 37) % 100 < share * 100);
        const expected = sorted.filter((rank) => some.includes(rank)).slice(from, from + most);
        expect(order.sliceOf(Uint32Array.from(some), from, most)).toEqual(expected);
      }
    }),
    { numRuns: 30 },
  );
});
