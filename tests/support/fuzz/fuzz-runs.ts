import process from "node:process";

export function fuzzRuns(numRuns: number): { numRuns: number; seed?: number } {
  const { FUZZ_SEED } = process.env;
  return { numRuns, ...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }) };
}

/** In ms. The time limit of a property is a third of the test's, because the last run may be long. */
const TIME_LIMIT = 40_000;

/** After fast-check's own limit, the current run would continue during the next test. */
export function untilTimeLimit<Values extends unknown[]>(
  run: (...values: Values) => Promise<unknown>,
): (...values: Values) => Promise<void> {
  const deadline = performance.now() + TIME_LIMIT;
  return async (...values) => {
    if (performance.now() < deadline) await run(...values);
  };
}
