/** The same seed gives the same stream on every machine. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number, both ends included. */
  int(least: number, most: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  /** @throws RangeError when there is nothing to pick from */
  pick<T>(choices: readonly T[]): T;
  /** A new array. */
  shuffle<T>(members: readonly T[]): T[];
}

/** The mulberry32 generator: good for test data, not for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const chance = (probability: number) => next() < probability;

  function pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new RangeError("There is nothing to pick from");
    return choices[int(0, choices.length - 1)] as T;
  }

  function shuffle<T>(members: readonly T[]): T[] {
    return members
      .map((member) => ({ member, rank: next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ member }) => member);
  }
  return { next, int, chance, pick, shuffle };
}
