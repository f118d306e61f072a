import { median } from "../median.ts";
import type { Effort } from "./compare.ts";
import type { Load } from "./loads.ts";
import { askSteadily, type Latency, type Steady } from "./steady.ts";
import type { Target } from "./target.ts";

/** Latency under half of the load that the product can bear. */
export interface HalfLoad {
  name: string;
  /** Requests a second. */
  rate: number;
  product: Latency;
  /** Of the bare server at the same rate: what the machine and the measuring itself take. */
  limit: Latency;
  /** The part of the requests that the product refused. */
  refused: number;
}

/** Other requests than those that found out what it can bear. */
const SEED = 2;

/** Asks both in turn at half the rate that was found for the product; the bare server has its answers already. Medians. */
export async function measureAtHalf(
  product: Target,
  bare: Target,
  load: Load,
  requestsPerSecond: number,
  { roundsAtHalf, secondsAtHalf }: Effort,
): Promise<HalfLoad> {
  const rate = Math.floor(requestsPerSecond / 2);
  const ask = { product: load.paths(SEED), limit: load.paths(SEED) };
  const found: Record<"product" | "limit", Steady[]> = { product: [], limit: [] };
  for (let round = 0; round < roundsAtHalf; round++) {
    found.product.push(await askSteadily(product.origin, load, ask.product, rate, secondsAtHalf));
    found.limit.push(await askSteadily(bare.origin, load, ask.limit, rate, secondsAtHalf));
  }
  return {
    name: load.name,
    rate,
    product: medianLatency(found.product),
    limit: medianLatency(found.limit),
    refused: median(found.product.map(({ refused }) => refused)),
  };
}

export function medianLatency(rounds: readonly Latency[]): Latency {
  return { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)) };
}
