/** Yes: audience participation; no: other warnings only; unknown: none (docs/product.md §3.11). */
export const announcements = ["yes", "no", "unknown"] as const;

export type Announced = (typeof announcements)[number];

/** Phrases are compared whole: nothing is guessed. */
export function announcedBy(warnings: readonly string[] | null): Announced {
  if (warnings === null) return "unknown";
  return warnings.some((phrase) => phrase.trim().toLowerCase() === "audience participation") ? "yes" : "no";
}
