import { LRUCache } from "lru-cache";
import { createCpuThrottle } from "../lib/cpu-throttle.server.ts";
import { searchSpellingKey, spellingKey } from "./search-folding.ts";
import { createSearchTexts, type SearchIndex } from "./search-texts.ts";

/** For all short searches together: 8 MB. */
const MAX_CACHED_INDEXES = 1_000_000;

const POSTING_LISTS = 2 ** 16;

/** The posting list of a search's rarest trigram has the candidates, which are compared in full. */
export async function createSearchIndex(
  texts: readonly string[],
  throttle = createCpuThrottle(),
): Promise<SearchIndex> {
  const all = [...texts.keys()];
  const searchTexts = createSearchTexts();
  const listsOfTexts: Uint16Array[] = [];
  const sizes = new Uint32Array(POSTING_LISTS);
  for (const text of texts) {
    const lists = postingLists(spellingKey(searchTexts.add(text)));
    for (const list of lists) sizes[list] = (sizes[list] ?? 0) + 1;
    listsOfTexts.push(lists);
    await throttle();
  }
  // One array for all lists takes less memory and time than a map of arrays.
  let total = 0;
  const starts = new Uint32Array(POSTING_LISTS);
  for (const [list, size] of sizes.entries()) {
    starts[list] = total;
    total += size;
  }
  const ends = starts.slice();
  const postings = new Uint32Array(total);
  for (const [index, lists] of listsOfTexts.entries()) {
    for (const list of lists) {
      const end = ends[list] ?? 0;
      const isRepeated = end !== starts[list] && postings[end - 1] === index;
      if (isRepeated) continue;
      postings[end] = index;
      ends[list] = end + 1;
    }
    await throttle();
  }
  const shortSearches = new LRUCache<string, readonly number[]>({
    maxSize: MAX_CACHED_INDEXES,
    sizeCalculation: (indexes) => indexes.length + 1,
  });

  function findCandidates(wanted: string): readonly number[] {
    let [start, end] = [0, Number.POSITIVE_INFINITY];
    for (const list of postingLists(searchSpellingKey(wanted))) {
      const [from = 0, to = 0] = [starts[list], ends[list]];
      if (to - from < end - start) [start, end] = [from, to];
    }
    return end > total ? all : Array.from(postings.subarray(start, end));
  }

  return {
    find(search) {
      if (search.length >= 3) return searchTexts.find(search, findCandidates);
      const matches = shortSearches.get(search) ?? searchTexts.find(search, findCandidates);
      shortSearches.set(search, matches);
      return matches;
    },
    withTrigram(trigram) {
      const [list = 0] = postingLists(trigram);
      return postings.subarray(starts[list], ends[list]);
    },
    foldedFields: searchTexts.foldedFields,
  };
}

/** The lists of a text's trigrams. Some trigrams share one, which does no harm: candidates are compared in full. */
function postingLists(text: string): Uint16Array {
  const lists = new Uint16Array(Math.max(0, text.length - 2));
  for (let at = 0; at < lists.length; at++)
    lists[at] = (text.charCodeAt(at) << 10) ^ (text.charCodeAt(at + 1) << 5) ^ text.charCodeAt(at + 2);
  return lists;
}
