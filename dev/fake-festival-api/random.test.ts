import fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "./random.ts";

const repeat = <T>(count: number, choose: () => T) => Array.from({ length: count }, choose);

test("the same seed gives the same stream, another seed another stream", () => {
  const stream = (seed: number) => repeat(20, seededRandom(seed).next);
  expect(stream(7)).toEqual(stream(7));
  expect(stream(7)).not.toEqual(stream(8));
});

test("integers are within their bounds, and reach both", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(5), (seed, min, span) => {
      const random = seededRandom(seed);
      const drawn = new Set(repeat(500, () => random.int(min, min + span)));
      expect(drawn).toEqual(new Set(Array.from({ length: span + 1 }, (_, index) => min + index)));
    }),
  );
});

test("choices are drawn in proportion to their weights; zero means never", () => {
  const random = seededRandom(3);
  const drawn = repeat(4000, () =>
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

test("shuffling keeps every element", () => {
  const elements = repeat(50, seededRandom(1).next);
  const shuffled = seededRandom(2).shuffle(elements);
  expect(shuffled).not.toEqual(elements);
  expect(shuffled.toSorted()).toEqual(elements.toSorted());
});

test("picking from an empty list is a RangeError", () => {
  expect(() => seededRandom(1).pick([])).toThrow(RangeError);
});
