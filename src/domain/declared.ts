/** Yes: audience participation; no: other warnings only; unknown: none (docs/product.md §3.11). */
export const declarations = ["yes", "no", "unknown"] as const;

export type Declared = (typeof declarations)[number];

/** Compares whole phrases: nothing is guessed. `warnings` are the others. */
export function declaredBy(phrases: readonly string[] | null): { announced: Declared; warnings: string[] } {
  if (phrases === null) return { announced: "unknown", warnings: [] };
  const warnings = phrases.filter((phrase) => phrase.trim().toLowerCase() !== "audience participation");
  return { announced: warnings.length < phrases.length ? "yes" : "no", warnings };
}
