import { announcedBy } from "../domain/announced.ts";

/** An API that suddenly writes prose must not fill the log. */
const MAX_LOGGED = 50;

/** docs/product.md §7.9. Phrases are compared without case. @param knownPhrases of the stored shows */
export function describeWarnings(
  shows: readonly { warnings: string[] | null }[],
  knownPhrases: readonly string[],
) {
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
