export interface SearchIndex {
  /**
   * The texts that contain `wanted`: a 1 at the number of each of them, and else 0.
   * @param wanted not empty
   */
  find(wanted: string): Uint8Array;
}

/** Ends each text. Searches never contain it, so that none matches across two texts. */
export const TEXT_END = "\0";

/**
 * An index that scans all texts. They are joined into one string, because a scan of contiguous memory is several times
 * as fast as a search in each text: 0.2 ms for 4,000 shows, 2 ms for 40,000.
 */
export function createSearchIndex(texts: readonly string[]): SearchIndex {
  const all = texts.join(TEXT_END);
  const ends = new Uint32Array(texts.length);
  let end = -TEXT_END.length;
  for (const [number, text] of texts.entries()) {
    end += TEXT_END.length + text.length;
    ends[number] = end;
  }
  return {
    find(wanted) {
      const isFound = new Uint8Array(texts.length);
      let number = 0;
      for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, endOf(number))) {
        while (endOf(number) <= at) number++;
        isFound[number] = 1;
      }
      return isFound;
    },
  };

  function endOf(number: number): number {
    return ends[number] ?? all.length;
  }
}
