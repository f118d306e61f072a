const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true, ignorePunctuation: true });

/**
 * Compares shows by title as people sort titles: case, accents and punctuation aside, numbers by value; then by id, so
 * that the order is total (decisions, "The list").
 */
export function byTitle(a: { title: string; id: string }, b: { title: string; id: string }): number {
  return collator.compare(a.title, b.title) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
