import type { Show } from "../domain/show.ts";

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

/**
 * Compares shows by title: English collation, case, accents and punctuation ignored, numbers by value. Ties
 * are broken by id, so that the order is total (docs/product.md §2.3).
 */
export function byTitle(a: Pick<Show, "id" | "title">, b: Pick<Show, "id" | "title">): number {
  return collator.compare(a.title, b.title) || compareCodeUnits(a.id, b.id);
}

/** Compares strings by code unit. For ASCII that is the order of PostgreSQL's collation "C". */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
