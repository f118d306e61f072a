import { takeTurns } from "./in-slices.server.ts";

type Compare<T> = (a: T, b: T) => number;

/** Members that are sorted at once. */
const RUN = 64;

/** Comparisons between two looks at the clock. */
const STEPS = 64;

/** What `items.toSorted(compare)` answers; others have their turn in between. */
export async function sortInSlices<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  const turn = takeTurns();
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN) {
    runs.push(items.slice(start, start + RUN).sort(compare));
    if (turn.isOver()) await turn.next();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let first = 0; first < runs.length; first += 2) {
      merged.push(await mergeInSlices(runs[first] ?? [], runs[first + 1] ?? [], compare, turn));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Two sorted lists as one; of equal members those of the first come first. */
export async function mergeInSlices<T>(
  first: readonly T[],
  second: readonly T[],
  compare: Compare<T>,
  turn = takeTurns(),
): Promise<T[]> {
  const merged: T[] = [];
  let taken = 0;
  let steps = 0;
  for (const member of second) {
    for (; taken < first.length; taken++) {
      const other = first[taken] as T;
      if (compare(other, member) > 0) break;
      merged.push(other);
      if (++steps % STEPS === 0 && turn.isOver()) await turn.next();
    }
    merged.push(member);
    if (++steps % STEPS === 0 && turn.isOver()) await turn.next();
  }
  return merged.concat(first.slice(taken));
}
