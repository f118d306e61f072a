import { announcedBy } from "../domain/announced.ts";

/** New phrases that one refresh logs: an API that suddenly writes prose must not fill the log. */
const MAX_LOGGED = 50;

/** What a refresh logs about warnings (docs/product.md §7.9). */
export interface WarningsReport {
  /** How many shows have warnings. */
  warned: number;
  /** How many shows announce audience participation. */
  announced: number;
  /** Phrases that no stored show had, in order, as they were first written. At most `MAX_LOGGED`. */
  newPhrases: string[];
}

/**
 * Reports the warnings of a programme. Phrases are compared without case.
 * @param knownPhrases the phrases of the stored shows
 */
export function describeWarnings(
  shows: readonly { warnings: string[] | null }[],
  knownPhrases: readonly string[],
): WarningsReport {
  const seen = new Set(knownPhrases.map((phrase) => phrase.toLowerCase()));
  const newPhrases = shows
    .flatMap(({ warnings }) => warnings ?? [])
    .filter((phrase) => seen.size < seen.add(phrase.toLowerCase()).size);
  return {
    warned: shows.filter(({ warnings }) => warnings !== null).length,
    announced: shows.filter(({ warnings }) => announcedBy(warnings) === "yes").length,
    newPhrases: newPhrases.toSorted().slice(0, MAX_LOGGED),
  };
}
