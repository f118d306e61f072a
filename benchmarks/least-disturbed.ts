import { watchTheft } from "./machine.ts";

/**
 * More than this part of the processors' time taken by other guests of the host, and the slowest hundredth of all answers tells of them: the
 * kernel counts in hundredths of a second, one of which is the slowest hundredth of a second's answers.
 */
const MOST_STOLEN = 0.002;

/** How often something is measured until they leave it alone. */
const TRIES = 4;

/** What was found, and the part of the processors' time that other guests of the host took meanwhile. */
export interface Undisturbed<T> {
  found: T;
  stolen: number;
}

/** Measures something, again where others took the processors meanwhile. Answers what was disturbed least. */
export async function leastDisturbed<T>(measure: () => Promise<T>): Promise<Undisturbed<T>> {
  const tries: Undisturbed<T>[] = [];
  for (let last: Undisturbed<T> | undefined; tries.length < TRIES; tries.push(last)) {
    const stolen = watchTheft();
    last = { found: await measure(), stolen: stolen() };
    if (last.stolen <= MOST_STOLEN) return last;
  }
  return tries.reduce((best, other) => (other.stolen < best.stolen ? other : best));
}
