import { firstOf } from "./first-of.ts";
import type { PackedLists } from "./grow-lists.server.ts";

/** Many lists of ascending whole numbers, each under a key. */
export interface NumberLists {
  /** How many numbers are under a key. */
  size(key: number): number;
  /** The numbers under any of the keys from `first` up to, but not including, `end`: ascending, each once. */
  read(first: number, end: number): Uint32Array;
}

/** @param count more than any number in the lists */
export function openLists({ keys, sizes, starts, bytes }: PackedLists, count: number): NumberLists {
  function read(place: number): Uint32Array {
    const numbers = new Uint32Array(sizes[place] ?? 0);
    let at = starts[place] ?? 0;
    let number = -1;
    for (let index = 0; index < numbers.length; index++) {
      let byte = bytes[at++] ?? 0;
      let difference = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        difference |= (byte & 127) << shift;
      }
      number += difference;
      numbers[index] = number;
    }
    return numbers;
  }

  /** The numbers in any of several lists. */
  function readAll(place: number, end: number): Uint32Array {
    const isIn = new Uint8Array(count);
    for (; place < end; place++) for (const number of read(place)) isIn[number] = 1;
    const numbers = new Uint32Array(isIn.reduce((sum, one) => sum + one, 0));
    for (let number = 0, found = 0; found < numbers.length; number++) if (isIn[number] === 1) numbers[found++] = number;
    return numbers;
  }

  /** Where the list of a key stands, or would stand. */
  function placeOf(key: number): number {
    return firstOf(keys.length, (place) => (keys[place] ?? 0) >= key);
  }

  return {
    size(key) {
      const place = placeOf(key);
      return keys[place] === key ? (sizes[place] ?? 0) : 0;
    },
    read(first, end) {
      const from = placeOf(first);
      const to = placeOf(end);
      if (from === to) return new Uint32Array();
      return to - from === 1 ? read(from) : readAll(from, to);
    },
  };
}
