import type { Show } from "../domain/show.ts";
import { createSpellingMatcher, foldForSearch, foldLiterally, shortestSpelling } from "./search-folding.ts";

/** No search contains it, so that none matches across two fields. */
const FIELD_SEPARATOR = "\0";

export function searchableText(show: Pick<Show, "title" | "artist" | "venue_name">): string {
  return [show.title, show.artist ?? "", show.venue_name ?? ""].join(FIELD_SEPARATOR);
}

/** Texts are known by their index, which in a list is the rank. */
export interface SearchIndex {
  /** Returns ascending indexes (docs/product.md §2.6). @param search clean and not empty */
  find(search: string): readonly number[];
  /** Returns the indexes of texts whose spelling key may contain three letters. */
  withTrigram(trigram: string): Iterable<number>;
  /** In the shortest spelling: title, artist and venue. */
  foldedFields(index: number): string[];
}

/** Texts are folded once. */
export function createSearchTexts() {
  const folded: string[] = [];
  const severalSpellings: boolean[] = [];
  const literal: string[] = [];
  return {
    /** Returns the folded text. */
    add(text: string): string {
      const foldedText = foldForSearch(text);
      folded.push(foldedText);
      severalSpellings.push(shortestSpelling(foldedText) !== foldedText);
      literal.push(foldLiterally(text));
      return foldedText;
    },
    foldedFields: (index: number): string[] =>
      shortestSpelling(folded[index] ?? "")
        .split(FIELD_SEPARATOR)
        .map((field) => field.trim()),
    /** @param candidatesOf indexes of texts that can contain a folded search */
    find(search: string, candidatesOf: (wanted: string) => readonly number[]): readonly number[] {
      const wanted = foldForSearch(search);
      if (wanted !== "") {
        const shortest = shortestSpelling(wanted);
        const isAny = shortest !== wanted;
        const matches = createSpellingMatcher(wanted);
        return candidatesOf(wanted).filter((index) => {
          const text = folded[index] ?? "";
          if (text.includes(shortest)) return true;
          const hasOthers = isAny || severalSpellings[index];
          return hasOthers && text.length >= shortest.length && matches(text);
        });
      }
      const wantedLiteral = foldLiterally(search);
      return [...literal.keys()].filter((index) => literal[index]?.includes(wantedLiteral));
    },
  };
}
