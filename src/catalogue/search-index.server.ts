import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { LRUCache } from "lru-cache";

export interface SearchIndex {
  /**
   * The indexes of the texts that contain `search`, ascending.
   * @param search not empty
   */
  find(search: string): readonly number[];
}

/** Separates the fields of a text. Searches never contain it, so that none matches across two fields. */
export const FIELD_SEPARATOR = "\0";

/** Texts indexed before the event loop may run other work: some 5 ms. */
const TEXTS_PER_YIELD = 500;

/** Indexes cached for all short searches together: 8 MB. */
const MAX_CACHED_INDEXES = 1_000_000;

/**
 * Builds a trigram index of folded texts (`search-folding.ts`); searches are folded as well. The posting list
 * of the rarest trigram of a search holds its candidates. Shorter searches scan all texts, and are cached:
 * there are few of them, and typing any search begins with one. Yields to the event loop.
 */
export async function createSearchIndex(texts: readonly string[]): Promise<SearchIndex> {
  const postings = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) {
    for (const trigram of trigramsOf(text)) {
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

  function scan(search: string): number[] {
    return texts.flatMap((text, index) => (text.includes(search) ? index : []));
  }

  function findShort(search: string): readonly number[] {
    const matches = shortSearches.get(search) ?? scan(search);
    shortSearches.set(search, matches);
    return matches;
  }

  return {
    find(search) {
      if (search.length < 3) return findShort(search);
      let candidates: readonly number[] | undefined;
      for (const trigram of trigramsOf(search)) {
        const posting = postings.get(trigram) ?? [];
        if (!candidates || posting.length < candidates.length) candidates = posting;
      }
      return candidates?.filter((index) => texts[index]?.includes(search)) ?? [];
    },
  };
}

/** All sequences of three code units in a text. */
function* trigramsOf(text: string): Generator<string> {
  for (let at = 0; at + 3 <= text.length; at++) yield text.slice(at, at + 3);
}
