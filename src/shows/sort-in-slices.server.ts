import { type Turn, takeTurns } from "./in-slices.server.ts";

type Compare<T> = (a: T, b: T) => number;

/** Members that are sorted at once. */
const RUN = 64;

/** Comparisons between two looks at the clock. */
const STEPS = 64;

/** What `items.toSorted(compare)` answers; others have their turn in between. */
export async function sortInSlices<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  const turn = takeTurns();
  let sorted = items.slice();
  for (let start = 0; start < items.length; start += RUN) {
    const run = items.slice(start, start + RUN).sort(compare);
    for (const [place, item] of run.entries()) sorted[start + place] = item;
    if (turn.isOver()) await turn.next();
  }
  // Two lists that take turns: new ones for every step would be garbage of many times their size.
  let merged = sorted.slice();
  for (let run = RUN; run < items.length; run *= 2) {
    for (let start = 0; start < items.length; start += 2 * run) {
      await merge({ from: sorted, start, middle: start + run, end: start + 2 * run, to: merged }, compare, turn);
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

/** Two sorted lists as one; of equal members those of the first come first. Others have their turn in between. */
export async function mergeInSlices<T>(first: readonly T[], second: readonly T[], compare: Compare<T>): Promise<T[]> {
  if (second.length === 0) return first.slice();
  const from = first.concat(second);
  const to = from.slice();
  await merge({ from, start: 0, middle: first.length, end: from.length, to }, compare, takeTurns());
  return to;
}

/** Two sorted stretches of a list that lie side by side, and where they are to be one. */
interface Stretches<T> {
  from: readonly T[];
  start: number;
  middle: number;
  /** May be past the list's own end. */
  end: number;
  to: T[];
}

async function merge<T>(
  { from, start, middle, end, to }: Stretches<T>,
  compare: Compare<T>,
  turn: Turn,
): Promise<void> {
  const last = Math.min(end, from.length);
  let left = start;
  let right = middle;
  for (let place = start; place < last; place++) {
    const isLeft = right >= last || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
    to[place] = from[isLeft ? left++ : right++] as T;
    if (place % STEPS === 0 && turn.isOver()) await turn.next();
  }
}
