import { firstOf } from "./first-of.ts";
import type { PackedLists } from "./grow-lists.server.ts";

/**
 * Many lists of ascending whole numbers, each under a key. Numbers are gone through by their places, here and wherever thousands of them are:
 * `for … of` takes V8 three times as long.
 */
export interface NumberLists {
  /** How many numbers are under a key. */
  size(key: number): number;
  /**
   * The numbers under any of the keys from `first` up to, but not including, `end`: ascending, each once.
   * @param room where they are put, with a place for each number there may be: new memory for each search would be garbage
   */
  read(first: number, end: number, room: Uint32Array): Uint32Array;
}

/** @param count more than any number in the lists */
export function openLists({ keys, sizes, starts, bytes }: PackedLists, count: number): NumberLists {
  function readList(place: number, room: Uint32Array): Uint32Array {
    const size = sizes[place] ?? 0;
    let at = starts[place] ?? 0;
    let number = -1;
    for (let index = 0; index < size; index++) {
      let byte = bytes[at++] ?? 0;
      number += byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++] ?? 0;
        number += (byte & 127) << shift;
      }
      room[index] = number;
    }
    return room.subarray(0, size);
  }

  /** The numbers in any of several lists. */
  function readLists(place: number, end: number, room: Uint32Array): Uint32Array {
    const isIn = new Uint8Array(count);
    for (; place < end; place++) {
      const numbers = readList(place, room);
      for (let index = 0; index < numbers.length; index++) isIn[numbers[index] ?? 0] = 1;
    }
    let found = 0;
    for (let number = 0; number < count; number++) {
      room[found] = number;
      found += isIn[number] ?? 0;
    }
    return room.subarray(0, found);
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
    read(first, end, room) {
      const from = placeOf(first);
      const to = placeOf(end);
      if (from === to) return room.subarray(0, 0);
      return to - from === 1 ? readList(from, room) : readLists(from, to, room);
    },
  };
}
