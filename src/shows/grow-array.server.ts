import { nextTurn } from "../http/turns.server.ts";

/** Members that become an array. */
export interface GrowingArray<T> {
  readonly length: number;
  add(member: T): void;
  /** All of them; others have their turn before. To be called last. */
  pack(): Promise<T[]>;
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
