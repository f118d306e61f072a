import { leastDisturbed, type Undisturbed } from "../least-disturbed.ts";
import { median } from "../median.ts";
import type { Effort } from "./compare.ts";
import type { Load } from "./loads.ts";
import type { AskSteadily } from "./start-asker.ts";
import type { Latency, Steady } from "./steady.ts";
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
  /** The part of the processors' time that other guests of the host took meanwhile. */
  stolen: number;
}

/** Other requests than those that found out what it can bear. */
const SEED = 2;

/** Asks both in turn at half the rate that was found for the product; the bare server has its answers already. Medians. */
export async function measureAtHalf(
  askSteadily: AskSteadily,
  product: Target,
  bare: Target,
  load: Load,
  requestsPerSecond: number,
  { roundsAtHalf, secondsAtHalf }: Effort,
): Promise<HalfLoad> {
  const rate = Math.floor(requestsPerSecond / 2);
  const next = { product: load.paths(SEED), limit: load.paths(SEED) };
  const found: Record<"product" | "limit", Undisturbed<Steady>[]> = { product: [], limit: [] };
  const askProduct = () => askSteadily(product.origin, load, next.product, rate, secondsAtHalf);
  const askBare = () => askSteadily(bare.origin, load, next.limit, rate, secondsAtHalf);
  await askProduct(); // until it has been told a few thousand times, whoever asks is not compiled
  for (let round = 0; round < roundsAtHalf; round++) {
    found.product.push(await leastDisturbed(askProduct));
    found.limit.push(await leastDisturbed(askBare));
  }
  return {
    name: load.name,
    rate,
    product: medianLatency(found.product.map((round) => round.found)),
    limit: medianLatency(found.limit.map((round) => round.found)),
    refused: median(found.product.map((round) => round.found.refused)),
    stolen: median([...found.product, ...found.limit].map(({ stolen }) => stolen)),
  };
}

export function medianLatency(rounds: readonly Latency[]): Latency {
  return { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)) };
}
