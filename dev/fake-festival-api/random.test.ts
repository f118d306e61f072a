import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "./random.ts";

const take = <T>(count: number, choose: () => T) => Array.from({ length: count }, choose);

test("the same seed gives the same stream, another seed another one", () => {
  const stream = (seed: number) => take(20, seededRandom(seed).next);
  expect(stream(7)).toEqual(stream(7));
  expect(stream(7)).not.toEqual(stream(8));
});

test("whole numbers stay within their ends and reach both", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(5), (seed, least, span) => {
      const random = seededRandom(seed);
      const drawn = new Set(take(500, () => random.int(least, least + span)));
      expect(drawn).toEqual(new Set(Array.from({ length: span + 1 }, (_, index) => least + index)));
    }),
  );
});

test("weights decide how often a choice is made; a weight of zero means never", () => {
  const random = seededRandom(3);
  const drawn = take(4000, () =>
    random.weighted([
      ["often", 3],
      ["seldom", 1],
      ["never", 0],
    ] as const),
  );
  expect(drawn.filter((choice) => choice === "often").length).toBeGreaterThan(2800);
  expect(drawn.filter((choice) => choice === "often").length).toBeLessThan(3200);
  expect(drawn).not.toContain("never");
});

test("shuffling keeps every member", () => {
  const members = take(50, seededRandom(1).next);
  const shuffled = seededRandom(2).shuffle(members);
  expect(shuffled).not.toEqual(members);
  expect(shuffled.toSorted()).toEqual(members.toSorted());
});

test("there is no picking from nothing", () => {
  expect(() => seededRandom(1).pick([])).toThrow(RangeError);
});
