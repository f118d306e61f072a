import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import {
  containsSpelling,
  foldForSearch,
  outlineOf,
  searchOutlineOf,
  withoutInvisible,
} from "./search-folding.ts";

export interface SearchIndex {
  /** docs/product.md §2.6. Ascending. @param search a clean one, not empty */
  find(search: string): readonly number[];
}

/** Searches never contain it, so that none matches across two fields. */
export const FIELD_SEPARATOR = "\0";

const TEXTS_PER_YIELD = 500;

/** Of all short searches together: 8 MB. */
const MAX_CACHED_INDEXES = 1_000_000;

/** The posting list of the rarest trigram of a search has its candidates, which are compared in full. */
export async function createSearchIndex(texts: readonly string[]): Promise<SearchIndex> {
  const all = [...texts.keys()];
  const folded: string[] = [];
  const literal: string[] = [];
  const postings = new Map<number, number[]>();
  for (const [index, text] of texts.entries()) {
    folded[index] = foldForSearch(text);
    literal[index] = withoutInvisible(text);
    for (const trigram of trigramsOf(outlineOf(folded[index]))) {
      const posting = postings.get(trigram);
      if (!posting) postings.set(trigram, [index]);
      else if (posting.at(-1) !== index) posting.push(index);
    }
    if (index % TEXTS_PER_YIELD === 0) await yieldToEventLoop();
  }
  const shortSearches = new LRUCache<string, readonly number[]>({
    maxSize: MAX_CACHED_INDEXES,
    sizeCalculation: (indexes) => indexes.length + 1,
  });

  function findUncached(search: string): readonly number[] {
    const wanted = foldForSearch(search);
    if (wanted !== "") {
      const candidates = findCandidates(searchOutlineOf(wanted));
      return candidates.filter((index) => containsSpelling(folded[index] ?? "", wanted));
    }
    const wantedLiteral = withoutInvisible(search);
    return all.filter((index) => literal[index]?.includes(wantedLiteral));
  }

  function findCandidates(outline: string): readonly number[] {
    let candidates: readonly number[] = all;
    for (const trigram of trigramsOf(outline)) {
      const posting = postings.get(trigram) ?? [];
      if (posting.length < candidates.length) candidates = posting;
    }
    return candidates;
  }

  return {
    find(search) {
      if (search.length >= 3) return findUncached(search);
      const matches = shortSearches.get(search) ?? findUncached(search);
      shortSearches.set(search, matches);
      return matches;
    },
  };
}

/** As numbers: quicker to find. Equal ones do no harm, because candidates are compared in full. */
function trigramsOf(text: string): Int32Array {
  const trigrams = new Int32Array(Math.max(0, text.length - 2));
  for (let at = 0; at < trigrams.length; at++)
    trigrams[at] = (text.charCodeAt(at) << 20) ^ (text.charCodeAt(at + 1) << 10) ^ text.charCodeAt(at + 2);
  return trigrams;
}
