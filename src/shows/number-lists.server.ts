import { firstOf } from "./first-of.ts";
import { inSlices } from "./in-slices.server.ts";

/** Many lists of ascending whole numbers, each under a key. */
export interface NumberLists {
  /** How many numbers are under a key. */
  size(key: number): number;
  /** The numbers under any of the keys from `first` up to, but not including, `end`: ascending, each once. */
  read(first: number, end: number): Uint32Array;
}

/** Tells `add` each key that a number is to stand under, and some of them twice if need be. */
export type TellKeys = (number: number, add: (key: number) => void) => void;

/** What the lists lie in: one after the other in the order of their keys. */
interface Packed {
  keys: Int32Array;
  sizes: Uint32Array;
  /** Where each list starts in `bytes`, and where the last one ends. */
  starts: Uint32Array;
  /** The differences between the numbers of a list, seven bits a byte, the lowest first: little more than a byte a number. */
  bytes: Uint8Array;
}

/**
 * Makes lists of the numbers below `count`; others have their turn in between.
 * @param tellKeys is called twice for each number: first the lists are measured, then filled
 */
export async function createNumberLists(count: number, tellKeys: TellKeys): Promise<NumberLists> {
  return openLists(await pack(count, tellKeys), count);
}

async function pack(count: number, tellKeys: TellKeys): Promise<Packed> {
  const ids = new Map<number, number>();
  const last: number[] = [];
  const sizes: number[] = [];
  const lengths: number[] = [];
  let number = 0;
  await inSlices(count, (next) => {
    number = next;
    tellKeys(number, measure);
  });

  function measure(key: number): void {
    let id = ids.get(key);
    if (id === undefined) {
      id = last.push(-1) - 1;
      ids.set(key, id);
      sizes.push(0);
      lengths.push(0);
    }
    const difference = number - (last[id] ?? 0);
    if (difference === 0) return;
    last[id] = number;
    sizes[id] = (sizes[id] ?? 0) + 1;
    lengths[id] = (lengths[id] ?? 0) + bytesOf(difference);
  }

  const keys = Int32Array.from(ids.keys()).sort();
  const sizesInOrder = new Uint32Array(keys.length);
  const starts = new Uint32Array(keys.length + 1);
  const ends = new Uint32Array(keys.length);
  await inSlices(keys.length, (place) => {
    const id = ids.get(keys[place] ?? 0) ?? 0;
    const start = starts[place] ?? 0;
    sizesInOrder[place] = sizes[id] ?? 0;
    ends[id] = start;
    starts[place + 1] = start + (lengths[id] ?? 0);
  });
  const bytes = new Uint8Array(starts[keys.length] ?? 0);
  last.fill(-1);
  await inSlices(count, (next) => {
    number = next;
    tellKeys(number, fill);
  });

  function fill(key: number): void {
    const id = ids.get(key) ?? 0;
    let difference = number - (last[id] ?? 0);
    if (difference === 0) return;
    last[id] = number;
    let end = ends[id] ?? 0;
    for (; difference > 127; difference >>>= 7) bytes[end++] = (difference & 127) | 128;
    bytes[end++] = difference;
    ends[id] = end;
  }

  return { keys, sizes: sizesInOrder, starts, bytes };
}

function bytesOf(difference: number): number {
  return Math.max(1, Math.ceil((32 - Math.clz32(difference)) / 7));
}

function openLists({ keys, sizes, starts, bytes }: Packed, count: number): NumberLists {
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
