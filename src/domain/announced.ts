/**
 * What the festival's listing says: it announces audience participation, it has other warnings only, or it
 * gives none (docs/product.md §3.11).
 */
export const announcements = ["yes", "no", "unknown"] as const;

export type Announced = (typeof announcements)[number];

/**
 * What a listing with these warnings says. Phrases are compared whole, trimmed and without case: nothing is
 * guessed from similar ones.
 * @param warnings the phrases that the company declared; null for none
 */
export function announcedBy(warnings: readonly string[] | null): Announced {
  if (warnings === null) return "unknown";
  return warnings.some((phrase) => phrase.trim().toLowerCase() === "audience participation") ? "yes" : "no";
}
