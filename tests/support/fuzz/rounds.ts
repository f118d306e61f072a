import process from "node:process";

/** So many rounds. A failure names its seed: `FUZZ_SEED=<seed>` in the environment asks the same again. */
export function rounds(numRuns: number): { numRuns: number; seed?: number } {
  const { FUZZ_SEED } = process.env;
  return { numRuns, ...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }) };
}
