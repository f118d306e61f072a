import process from "node:process";

/** So many rounds. A failure names its seed: `FUZZ_SEED=<seed>` in the environment asks the same again. */
export function fuzzRuns(numRuns: number): { numRuns: number; seed?: number } {
  const { FUZZ_SEED } = process.env;
  return { numRuns, ...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }) };
}

/** How long a property may ask, in ms: a third of what a test may take, for a last round may be a long one. */
const LONG_ENOUGH = 40_000;

/**
 * What a property asks in each of its rounds, for as long as there is time: on a busy machine the rounds that are left then ask nothing.
 * A round under way is finished: given up, as fast-check gives it up, it would go on beside the next test.
 */
export function untilTimeLimit<Values extends unknown[]>(
  ask: (...values: Values) => Promise<unknown>,
): (...values: Values) => Promise<void> {
  const until = performance.now() + LONG_ENOUGH;
  return async (...values) => {
    if (performance.now() < until) await ask(...values);
  };
}
