import { type Turn, takeTurns } from "./in-slices.server.ts";

export type Compare = (a: number, b: number) => number;

/** Numbers that are sorted at once. */
const RUN = 64;

/** Comparisons between two looks at the clock. */
const STEPS = 64;

/** The whole numbers from `start` up to, but not including, `end`. */
export function numbersFrom(start: number, end: number): Uint32Array {
  const numbers = new Uint32Array(end - start);
  for (let index = 0; index < numbers.length; index++) numbers[index] = start + index;
  return numbers;
}

/** What `numbers.toSorted(compare)` answers; others have their turn in between. */
export async function sortInSlices(numbers: Uint32Array, compare: Compare): Promise<Uint32Array> {
  const turn = takeTurns();
  let sorted = numbers.slice();
  for (let start = 0; start < sorted.length; start += RUN) {
    sorted.subarray(start, start + RUN).sort(compare);
    if (turn.isOver()) await turn.next();
  }
  // Two lists that take turns: new ones for every step would be garbage of many times their size.
  let merged = new Uint32Array(sorted.length);
  for (let run = RUN; run < sorted.length; run *= 2) {
    for (let start = 0; start < sorted.length; start += 2 * run) {
      await merge({ from: sorted, start, middle: start + run, end: start + 2 * run, to: merged }, compare, turn);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

/** Two sorted lists as one; of equal members those of the first come first. Others have their turn in between. */
export async function mergeInSlices(first: Uint32Array, second: Uint32Array, compare: Compare): Promise<Uint32Array> {
  if (second.length === 0) return first.slice();
  const from = new Uint32Array(first.length + second.length);
  from.set(first);
  from.set(second, first.length);
  const to = new Uint32Array(from.length);
  await merge({ from, start: 0, middle: first.length, end: from.length, to }, compare, takeTurns());
  return to;
}

/** Two sorted stretches of a list that lie side by side, and where they are to be one. */
interface Stretches {
  from: Uint32Array;
  start: number;
  middle: number;
  /** May be past the list's own end. */
  end: number;
  to: Uint32Array;
}

async function merge({ from, start, middle, end, to }: Stretches, compare: Compare, turn: Turn): Promise<void> {
  const last = Math.min(end, from.length);
  let left = start;
  let right = middle;
  for (let place = start; place < last; place++) {
    const isLeft = right >= last || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[place] = from[isLeft ? left++ : right++] ?? 0;
    if (place % STEPS === 0 && turn.isOver()) await turn.next();
  }
}
