import { median } from "../median.ts";
import type { Load } from "./loads.ts";
import { type Round, saturate } from "./saturate.ts";
import type { Target } from "./target.ts";

/** Somebody who is put under load. */
export interface Contender {
  name: string;
  target: Target;
  load: Load;
}

/** The product against others: medians of the rounds. */
export interface Comparison {
  name: string;
  product: Round;
  others: Rival[];
  /** What part of the limit's requests a second it has to reach. */
  goal: number | null;
}

export interface Rival {
  name: string;
  round: Round;
  /** Requests a second of the product as a part of its own, within a round. */
  ratio: number;
}

export interface Effort {
  rounds: number;
  /** How long each server is warmed up, how long a round is, and how long a steady load is kept up. */
  warmUp: number;
  seconds: number;
  secondsAtHalf: number;
  /** More and shorter ones: what else the machine does holds up all requests of one at once, and spoils it. */
  roundsAtHalf: number;
}

/** Loads them in turn, changing who is first, so that what else the machine does meets all of them. */
export async function compare(product: Contender, others: readonly Contender[], effort: Effort): Promise<Comparison> {
  const runs = [product, ...others].map((contender) => ({
    ...contender,
    next: contender.load.paths(),
    rounds: [] as Round[],
  }));
  for (const { target, load, next } of runs) await saturate(target, load, next, effort.warmUp);
  for (let round = 0; round < effort.rounds; round++) {
    for (const { target, load, next, rounds } of rotated(runs, round)) {
      rounds.push(await saturate(target, load, next, effort.seconds));
    }
  }
  const [own = [], ...theirs] = runs.map(({ rounds }) => rounds);
  return {
    name: product.load.name,
    goal: product.load.goal,
    product: medians(own),
    others: others.map(({ name }, index) => {
      const rounds = theirs[index] ?? [];
      return {
        name,
        round: medians(rounds),
        ratio: median(own.map((round, turn) => perSecond(round) / perSecond(rounds[turn]))),
      };
    }),
  };
}

/** What a rival did in a comparison. */
export function rivalIn({ others }: Comparison, name: string): Rival | undefined {
  return others.find((other) => other.name === name);
}

function rotated<T>(members: readonly T[], places: number): T[] {
  const from = places % members.length;
  return [...members.slice(from), ...members.slice(0, from)];
}

function perSecond(round: Round | undefined): number {
  return round?.requestsPerSecond ?? Number.NaN;
}

function medians(rounds: readonly Round[]): Round {
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]));
  return {
    requestsPerSecond: of("requestsPerSecond"),
    p50: of("p50"),
    p99: of("p99"),
    processorTime: of("processorTime"),
    refused: of("refused"),
  };
}
