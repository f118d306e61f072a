import { setImmediate as nextTurn } from "node:timers/promises";

/** Members that become an array. */
export interface GrowingArray<T, All = T[]> {
  readonly length: number;
  add(member: T): void;
  /** All of them; others have their turn before. To be called last. */
  pack(): Promise<All>;
}

const BLOCK = 4_096;

/**
 * An array that half a million members are added to. Growing as one, it would be copied again and again, each time with everybody waiting for
 * as much memory at once, and leave three times its size behind.
 */
export function growArray<T>(): GrowingArray<T> {
  const blocks: T[][] = [];
  let newest: T[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(member) {
      if (length++ % BLOCK === 0) {
        newest = [];
        blocks.push(newest);
      }
      newest.push(member);
    },
    async pack() {
      await nextTurn();
      const [first = [], ...others] = blocks;
      return first.concat(...others);
    },
  };
}

/** The same for numbers. They lie outside V8's heap: what has just been made there is looked at in one turn, when V8 looks at all memory. */
export function growNumbers(): GrowingArray<number, Float64Array> {
  const blocks: Float64Array[] = [];
  let newest = new Float64Array();
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(member) {
      const place = length++ % BLOCK;
      if (place === 0) {
        newest = new Float64Array(BLOCK);
        blocks.push(newest);
      }
      newest[place] = member;
    },
    async pack() {
      await nextTurn();
      const all = new Float64Array(length);
      for (const [number, block] of blocks.entries()) {
        all.set(block.subarray(0, length - number * BLOCK), number * BLOCK);
      }
      return all;
    },
  };
}
