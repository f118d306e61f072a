import fc from "fast-check";
import { expect, test } from "vitest";
import { PAGES_SHOWN, shownPages } from "./pagination.tsx";

/** The pages as text, with an ellipsis for those that are skipped. */
function pagesAsText(current: number, last: number): string {
  return shownPages(current, last)
    .map((page, index, pages) => {
      const text = page === current ? `[${page}]` : page;
      return page - (pages[index - 1] ?? 0) > 1 ? `… ${text}` : text;
    })
    .join(" ");
}

const positions = fc
  .integer({ min: 1, max: 400 })
  .chain((last) => fc.tuple(fc.integer({ min: 1, max: last }), fc.constant(last)));

test.each([
  [1, 1, "[1]"],
  [2, 5, "1 [2] 3 4 5"],
  [1, 195, "[1] 2 3 4 5 … 195"],
  [100, 195, "1 … 98 99 [100] 101 102 … 195"],
  [195, 195, "1 … 191 192 193 194 [195]"],
  [4, 7, "1 2 3 [4] 5 6 7"],
  [3, 6, "1 2 [3] 4 5 6"],
  [5, 8, "1 … 3 4 [5] 6 7 8"],
])("page %i of %i shows %s (docs/product.md §2.14)", (current, last, pages) => {
  expect(pagesAsText(current, last)).toBe(pages);
});

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
