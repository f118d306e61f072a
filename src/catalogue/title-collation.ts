import type { Show } from "../domain/show.ts";

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

/**
 * Case, accents and punctuation are ignored. Ties are broken by id: the order is total (docs/product.md
 * §2.3).
 */
export function byTitle(a: Pick<Show, "id" | "title">, b: Pick<Show, "id" | "title">): number {
  return collator.compare(a.title, b.title) || compareCodeUnits(a.id, b.id);
}

/** For ASCII, the order of PostgreSQL's collation "C". */
export function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
