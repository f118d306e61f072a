import fc from "fast-check";
import { expect, test } from "vitest";
import { PAGES_SHOWN, shownPages } from "./pagination.tsx";

const positions = fc
  .integer({ min: 1, max: 400 })
  .chain((last) => fc.tuple(fc.integer({ min: 1, max: last }), fc.constant(last)));

test("the first, the last and the current page are shown in order, with a window of at most five pages", () => {
  fc.assert(
    fc.property(positions, ([current, last]) => {
      const shown = shownPages(current, last);
      expect(shown).toEqual([...new Set(shown)].sort((one, other) => one - other));
      expect(shown).toEqual(expect.arrayContaining([1, current, last]));
      const near = shown.filter((page) => Math.abs(page - current) < PAGES_SHOWN);
      const window = shown.filter((page) => page !== 1 && page !== last);
      expect(window.length).toBeLessThanOrEqual(PAGES_SHOWN);
      expect(near.length).toBeGreaterThanOrEqual(Math.min(PAGES_SHOWN, last));
    }),
  );
});
