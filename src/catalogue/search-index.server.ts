import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";

export interface SearchIndex {
  /**
   * The numbers of the texts that contain `wanted`, ascending.
   * @param wanted not empty
   */
  find(wanted: string): readonly number[];
}

/** Ends each part of a text. Searches never contain it, so that none matches across two parts. */
export const TEXT_END = "\0";

/** Texts indexed in one turn of the event loop: some 5 ms. */
const TEXTS_A_TURN = 500;

/** Numbers remembered of all short searches together: 8 MB. */
const MAX_REMEMBERED = 1_000_000;

/**
 * A trigram index: the texts of the rarest trigram of a search are its candidates. Shorter searches scan all texts, and
 * are remembered, because everybody's typing begins with them and there are few.
 */
export async function createSearchIndex(texts: readonly string[]): Promise<SearchIndex> {
  const postings = new Map<string, number[]>();
  for (const [number, text] of texts.entries()) {
    for (const trigram of trigramsOf(text)) {
      const numbers = postings.get(trigram);
      if (!numbers) postings.set(trigram, [number]);
      else if (numbers.at(-1) !== number) numbers.push(number);
    }
    if (number % TEXTS_A_TURN === 0) await nextTurn();
  }
  const shortSearches = new LRUCache<string, readonly number[]>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: (numbers) => numbers.length + 1,
  });

  function scan(wanted: string): number[] {
    return texts.flatMap((text, number) => (text.includes(wanted) ? number : []));
  }

  function findShort(wanted: string): readonly number[] {
    const found = shortSearches.get(wanted) ?? scan(wanted);
    shortSearches.set(wanted, found);
    return found;
  }

  return {
    find(wanted) {
      if (wanted.length < 3) return findShort(wanted);
      let candidates: readonly number[] | undefined;
      for (const trigram of trigramsOf(wanted)) {
        const numbers = postings.get(trigram) ?? [];
        if (!candidates || numbers.length < candidates.length) candidates = numbers;
      }
      return candidates?.filter((number) => texts[number]?.includes(wanted)) ?? [];
    },
  };
}

/** Every three code units that follow each other. */
function* trigramsOf(text: string): Generator<string> {
  for (let at = 0; at + 3 <= text.length; at++) yield text.slice(at, at + 3);
}
