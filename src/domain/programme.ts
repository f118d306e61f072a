/** The festival year. It is sent to the festival's API (docs/product.md §7.1). Nothing else names a year. */
export const YEAR = 2025;

/** For a show of an earlier year (docs/product.md §2.22). */
export function wasAtFringe(year: number): string {
  return `This show was at the Fringe in ${year}.`;
}

/** Shows on one page of the list (docs/product.md §2.13). */
export const PAGE_SIZE = 20;

/** Whether a title needs a smaller font: some have 200 characters (docs/product.md §3.1). */
export function isLong(title: string): boolean {
  return title.length > 80;
}
