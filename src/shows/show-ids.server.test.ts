import fc from "fast-check";
import { expect, test } from "vitest";
import { numberIds } from "./show-ids.server.ts";

/** Alike, empty and odd ones among them. */
const ids = fc.uniqueArray(
  fc.oneof(
    fc.nat(3_000).map((number) => `show-${number}`),
    fc.string({ unit: "binary" }),
  ),
  {
    maxLength: 1_000,
    size: "max",
  },
);

test("every id has its place in the list for a number, and no other id has one", async () => {
  await fc.assert(
    fc.asyncProperty(ids, ids, async (some, others) => {
      const numbers = await numberIds(some);
      expect(numbers.size).toBe(some.length);
      for (const [number, id] of some.entries()) {
        expect(numbers.numberOf(id)).toBe(number);
        expect(numbers.at(number)).toBe(id);
      }
      const known = new Set(some);
      for (const id of others) if (!known.has(id)) expect(numbers.numberOf(id)).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
