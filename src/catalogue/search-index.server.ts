import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { searchSpellingKey, spellingKey } from "./search-folding.ts";
import { createSearchTexts } from "./search-texts.ts";

export interface SearchIndex {
  /** Returns ascending indexes (docs/product.md §2.6). @param search clean and not empty */
  find(search: string): readonly number[];
}

const TEXTS_PER_YIELD = 500;

/** For all short searches together: 8 MB. */
const MAX_CACHED_INDEXES = 1_000_000;

/** The posting list of a search's rarest trigram has the candidates, which are compared in full. */
export async function createSearchIndex(texts: readonly string[]): Promise<SearchIndex> {
  const all = [...texts.keys()];
  const searchTexts = createSearchTexts();
  const postings = new Map<number, number[]>();
  for (const [index, text] of texts.entries()) {
    for (const trigram of trigramsOf(spellingKey(searchTexts.add(text)))) {
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

  function findCandidates(wanted: string): readonly number[] {
    let candidates: readonly number[] = all;
    for (const trigram of trigramsOf(searchSpellingKey(wanted))) {
      const posting = postings.get(trigram) ?? [];
      if (posting.length < candidates.length) candidates = posting;
    }
    return candidates;
  }

  return {
    find(search) {
      if (search.length >= 3) return searchTexts.find(search, findCandidates);
      const matches = shortSearches.get(search) ?? searchTexts.find(search, findCandidates);
      shortSearches.set(search, matches);
      return matches;
    },
  };
}

/** As numbers, for speed. Collisions do no harm, because candidates are compared in full. */
function trigramsOf(text: string): Int32Array {
  const trigrams = new Int32Array(Math.max(0, text.length - 2));
  for (let at = 0; at < trigrams.length; at++)
    trigrams[at] = (text.charCodeAt(at) << 20) ^ (text.charCodeAt(at + 1) << 10) ^ text.charCodeAt(at + 2);
  return trigrams;
}
