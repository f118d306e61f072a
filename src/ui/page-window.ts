/** The size of the window of numbered pages around the current one (docs/product.md §2.14). */
export const PAGES_SHOWN = 5;

/** A numbered page, or a range of skipped pages. */
export type PaginationItem = { type: "page"; page: number } | { type: "gap"; from: number; to: number };

/**
 * The items of a pagination of pages 1 to `last`: the window around `current`, the first and the last page,
 * and a gap wherever pages are skipped. `current` must be one of the pages.
 */
export function paginationItems(current: number, last: number): PaginationItem[] {
  const latestStart = Math.max(1, last - PAGES_SHOWN + 1);
  const start = Math.min(Math.max(1, current - Math.floor(PAGES_SHOWN / 2)), latestStart);
  const end = Math.min(last, start + PAGES_SHOWN - 1);
  return [
    ...pages(1, Math.min(1, start - 1)),
    ...gap(2, start - 1),
    ...pages(start, end),
    ...gap(end + 1, last - 1),
    ...pages(Math.max(last, end + 1), last),
  ];
}

function pages(from: number, to: number): PaginationItem[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({
    type: "page",
    page: from + index,
  }));
}

function gap(from: number, to: number): PaginationItem[] {
  return from <= to ? [{ type: "gap", from, to }] : [];
}
