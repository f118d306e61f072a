import { LRUCache } from "lru-cache";
import { growArray } from "./grow-array.server.ts";
import { growLists } from "./grow-lists.server.ts";
import { type NumberLists, openLists } from "./number-lists.server.ts";

/** Which of many texts contain a text, without a look at all of them. */
export interface SearchIndex {
  /** All of them, each in the place of its number. */
  texts: readonly string[];
  /** The numbers of the texts that contain `wanted`, which is not empty, ascending: to be read, until asked again. */
  find(wanted: string): Uint32Array;
}

/** Bits of a symbol: three of them make a key that is a small integer to V8. */
const BITS = 10;
const KEY = 2 ** (3 * BITS) - 1;

/** What stands past the end of a text, and for characters that no text has. */
const NONE = 0;

/** What stands for all characters that came when every other symbol was taken. */
const SHARED = 2 ** BITS - 1;

/**
 * What was found for one or two characters is kept: it takes the most to find, everybody's search begins with them, and there are few
 * such searches.
 */
const KEPT_UP_TO = 2;
const KEPT = { max: 2_000, maxSize: 8_000_000, sizeCalculation: (found: Uint32Array) => found.byteLength + 100 };

/** Looking at a text takes as long as reading so many numbers of a list. */
const COST_OF_LOOKING = 20;

/** Texts that become an index. */
export interface GrowingIndex {
  /** Adds a text, whose number is how many there were before. */
  add(text: string): void;
  /** To be called last; others have their turn in between. */
  pack(): Promise<SearchIndex>;
}

/**
 * Keeps for every three characters that follow each other anywhere (a trigram) the texts that have them. A search for up to three is
 * answered by the lists of the trigrams that begin with them; for more, only the texts that have all their trigrams are looked at.
 */
export function growSearchIndex(): GrowingIndex {
  const texts = growArray<string>();
  const lists = growLists();
  const symbols = new Uint16Array(2 ** 16);
  let newest = NONE;

  function symbolOf(unit: number): number {
    const known = symbols[unit] ?? NONE;
    if (known !== NONE) return known;
    if (newest < SHARED) newest++;
    symbols[unit] = newest;
    return newest;
  }

  return {
    add(text) {
      const number = texts.length;
      texts.add(text);
      let key = 0;
      for (let index = 0; index < text.length; index++) {
        key = ((key << BITS) | symbolOf(text.charCodeAt(index))) & KEY;
        if (index > 1) lists.add(key, number);
      }
      // The last two characters begin trigrams, too.
      if (text.length > 1) lists.add((key << BITS) & KEY, number);
      lists.add((key << (2 * BITS)) & KEY, number);
    },
    pack: async () => openIndex(await texts.pack(), symbols, openLists(await lists.pack(), texts.length)),
  };
}

/** @param symbols of each code unit that is in a text, and `NONE` of all others */
function openIndex(texts: readonly string[], symbols: Uint16Array, lists: NumberLists): SearchIndex {
  const kept = new LRUCache<string, Uint32Array>(KEPT);
  const room = new Uint32Array(texts.length);
  const moreRoom = new Uint32Array(texts.length);

  function look(wanted: string): Uint32Array {
    const asked: number[] = [];
    for (let index = 0; index < wanted.length; index++) asked.push(symbols[wanted.charCodeAt(index)] ?? NONE);
    if (asked.includes(NONE)) return new Uint32Array();
    const found = asked.length < 3 ? beginningWith(asked) : withAll(trigramsOf(asked));
    const isCertain = asked.length <= 3 && !asked.includes(SHARED);
    return isCertain ? found : found.filter((number) => texts[number]?.includes(wanted));
  }

  /** What has a trigram that begins with one or two symbols. */
  function beginningWith(symbols: readonly number[]): Uint32Array {
    const prefix = symbols.reduce((key, symbol) => (key << BITS) | symbol, 0);
    const shift = BITS * (3 - symbols.length);
    return lists.read(prefix << shift, (prefix + 1) << shift, room);
  }

  /** What has all these trigrams, as far as reading their lists costs less than looking at the texts that are left. */
  function withAll(trigrams: readonly number[]): Uint32Array {
    const bySize = trigrams.map((key) => ({ key, size: lists.size(key) })).sort((a, b) => a.size - b.size);
    let found: Uint32Array | null = null;
    for (const { key, size } of bySize) {
      if (found && size > COST_OF_LOOKING * found.length) break;
      found = found ? inBoth(found, lists.read(key, key + 1, moreRoom)) : lists.read(key, key + 1, room);
    }
    return found ?? new Uint32Array();
  }

  return {
    texts,
    find(wanted) {
      if (wanted.length > KEPT_UP_TO) return look(wanted);
      const found = kept.get(wanted) ?? look(wanted).slice();
      kept.set(wanted, found);
      return found;
    },
  };
}

/** Each once. */
function trigramsOf(symbols: readonly number[]): number[] {
  const keys: number[] = [];
  let key = 0;
  for (let index = 0; index < symbols.length; index++) {
    key = ((key << BITS) | (symbols[index] ?? NONE)) & KEY;
    if (index > 1 && !keys.includes(key)) keys.push(key);
  }
  return keys;
}

/** Leaves of an ascending list what another one has, too. */
function inBoth(some: Uint32Array, others: Uint32Array): Uint32Array {
  let kept = 0;
  let place = 0;
  for (let index = 0; index < some.length; index++) {
    const number = some[index] ?? 0;
    while (place < others.length && (others[place] ?? 0) < number) place++;
    if (others[place] === number) some[kept++] = number;
  }
  return some.subarray(0, kept);
}
