import fc from "fast-check";
import { expect, test } from "vitest";
import { PAGES_SHOWN, type PaginationItem, paginationItems } from "./pagination.tsx";

/** The items as text. */
function itemsAsText(current: number, last: number): string {
  return paginationItems(current, last)
    .map((item) => (item.type === "gap" ? "…" : item.page === current ? `[${item.page}]` : item.page))
    .join(" ");
}

function pagesOf(item: PaginationItem): number[] {
  const [from, to] = item.type === "page" ? [item.page, item.page] : [item.from, item.to];
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

const positions = fc
  .integer({ min: 1, max: 400 })
  .chain((last) => fc.tuple(fc.integer({ min: 1, max: last }), fc.constant(last)));

test("up to five pages are all shown (docs/product.md §2.14)", () => {
  expect(itemsAsText(1, 1)).toBe("[1]");
  expect(itemsAsText(2, 5)).toBe("1 [2] 3 4 5");
});

test("of more pages, five around the current one, the first and the last are shown", () => {
  expect(itemsAsText(1, 195)).toBe("[1] 2 3 4 5 … 195");
  expect(itemsAsText(100, 195)).toBe("1 … 98 99 [100] 101 102 … 195");
  expect(itemsAsText(195, 195)).toBe("1 … 191 192 193 194 [195]");
});

test("there is no ellipsis where no page is skipped", () => {
  expect(itemsAsText(4, 7)).toBe("1 2 3 [4] 5 6 7");
  expect(itemsAsText(3, 6)).toBe("1 2 [3] 4 5 6");
  expect(itemsAsText(5, 8)).toBe("1 … 3 4 [5] 6 7 8");
});

test("every page is shown or skipped exactly once, in order", () => {
  fc.assert(
    fc.property(positions, ([current, last]) => {
      const covered = paginationItems(current, last).flatMap(pagesOf);
      expect(covered).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    }),
  );
});

test("the first, the last and the current page are shown, with a window of at most five pages", () => {
  fc.assert(
    fc.property(positions, ([current, last]) => {
      const shown = paginationItems(current, last).flatMap((item) =>
        item.type === "page" ? [item.page] : [],
      );
      expect(shown).toEqual(expect.arrayContaining([1, current, last]));
      const near = shown.filter((page) => Math.abs(page - current) < PAGES_SHOWN);
      const window = shown.filter((page) => page !== 1 && page !== last);
      expect(window.length).toBeLessThanOrEqual(PAGES_SHOWN);
      expect(near.length).toBeGreaterThanOrEqual(Math.min(PAGES_SHOWN, last));
    }),
  );
});
