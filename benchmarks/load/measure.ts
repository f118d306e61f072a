import { startBareServer } from "./bare-process.ts";
import { type Comparison, compare, type Effort } from "./compare.ts";
import { type HalfLoad, measureAtHalf } from "./half-load.ts";
import { prepareLoads } from "./loads.ts";
import { readProgramme } from "./programme.ts";
import type { Target } from "./target.ts";

export interface UnderLoad {
  /** How many shows are listed. */
  shows: number;
  comparisons: Comparison[];
  halfLoads: HalfLoad[];
}

/** Every load, one after the other; each result is told as it comes. */
export async function measureUnderLoad(
  product: Target,
  effort: Effort,
  running: AsyncDisposableStack,
  tell: (result: Comparison | HalfLoad) => void,
): Promise<UnderLoad> {
  const bare = await startBareServer(running);
  const programme = await readProgramme(product.origin);
  const results: UnderLoad = { shows: programme.shows, comparisons: [], halfLoads: [] };
  for (const load of await prepareLoads(product.origin, programme)) {
    const comparison = await compare(product, bare, load, effort);
    results.comparisons.push(comparison);
    tell(comparison);
    if (!load.atHalf) continue;
    const halfLoad = await measureAtHalf(product, bare, load, comparison, effort.secondsAtHalf);
    results.halfLoads.push(halfLoad);
    tell(halfLoad);
  }
  return results;
}
