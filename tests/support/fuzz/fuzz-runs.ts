import process from "node:process";

export function fuzzRuns(numRuns: number): { numRuns: number; seed?: number } {
  const { FUZZ_SEED } = process.env;
  return { numRuns, ...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }) };
}

/** The time limit of a property, in ms: a third of the test's, because the last run may be long. */
const TIME_LIMIT = 40_000;

/** fast-check's own limit would abandon the current run, which would go on during the next test. */
export function untilTimeLimit<Values extends unknown[]>(
  run: (...values: Values) => Promise<unknown>,
): (...values: Values) => Promise<void> {
  const deadline = performance.now() + TIME_LIMIT;
  return async (...values) => {
    if (performance.now() < deadline) await run(...values);
  };
}
