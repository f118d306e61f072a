/** Yes: audience participation; no: other warnings only; unknown: none (docs/product.md §3.11). */
export const declarations = ["yes", "no", "unknown"] as const;

export type Declared = (typeof declarations)[number];

/** Compares whole phrases: nothing is guessed. */
export function declaredBy(warnings: readonly string[] | null): Declared {
  if (warnings === null) return "unknown";
  return warnings.some((phrase) => phrase.trim().toLowerCase() === "audience participation") ? "yes" : "no";
}
