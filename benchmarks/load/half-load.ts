import type { Comparison } from "./compare.ts";
import type { Load } from "./loads.ts";
import { askSteadily, type Latency } from "./steady.ts";
import type { Target } from "./target.ts";

/** Latency under half of the load that the product can bear. */
export interface HalfLoad {
  name: string;
  /** Requests a second. */
  rate: number;
  product: Latency;
  /** Of the bare server at the same rate: what the machine and the measuring itself take. */
  limit: Latency;
}

/** Asks both at half the rate that the comparison, which went before and left the bare server its answers, found for the product. */
export async function measureAtHalf(
  product: Target,
  bare: Target,
  load: Load,
  { name, product: { requestsPerSecond } }: Comparison,
  seconds: number,
): Promise<HalfLoad> {
  const rate = Math.floor(requestsPerSecond / 2);
  return {
    name,
    rate,
    product: await askSteadily(product.origin, load, rate, seconds),
    limit: await askSteadily(bare.origin, load, rate, seconds),
  };
}
