import process from "node:process";

/**
 * Parameters for so many runs. A failure prints its seed; `FUZZ_SEED=<seed>` in the environment repeats it.
 */
export function fuzzRuns(numRuns: number): { numRuns: number; seed?: number } {
  const { FUZZ_SEED } = process.env;
  return { numRuns, ...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }) };
}

/** The time limit of a property, in ms: a third of the test's, because the last run may be long. */
const TIME_LIMIT = 40_000;

/**
 * Wraps a property so that it does nothing after the time limit, on a busy machine. A current run finishes:
 * fast-check's own limit would abandon it, and it would go on during the next test.
 */
export function untilTimeLimit<Values extends unknown[]>(
  run: (...values: Values) => Promise<unknown>,
): (...values: Values) => Promise<void> {
  const deadline = performance.now() + TIME_LIMIT;
  return async (...values) => {
    if (performance.now() < deadline) await run(...values);
  };
}
