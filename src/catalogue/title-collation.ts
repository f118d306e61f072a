import type { Show } from "../domain/show.ts";

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

/**
 * Compares shows by title as people sort titles: case, accents and punctuation aside, numbers by value. Equal titles
 * are ordered by id, so that the order is total (docs/product.md §2.3).
 */
export function byTitle(a: Pick<Show, "id" | "title">, b: Pick<Show, "id" | "title">): number {
  return collator.compare(a.title, b.title) || compareCodeUnits(a.id, b.id);
}

/** Compares texts as PostgreSQL's collation "C" orders ASCII. */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
