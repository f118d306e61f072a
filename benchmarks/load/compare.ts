import { median } from "../median.ts";
import type { BareServer } from "./bare-process.ts";
import type { Load } from "./loads.ts";
import { recordAnswers } from "./recorded-answer.ts";
import { type Round, saturate } from "./saturate.ts";
import type { Target } from "./target.ts";

/** The product against the limit under one load: medians of the rounds. */
export interface Comparison {
  name: string;
  product: Round;
  limit: Round;
  /** Requests a second of the product as a part of the limit's, within a round. */
  ratio: number;
}

export interface Effort {
  rounds: number;
  /** How long each server is warmed up, how long a round is, and how long half of the load is kept up. */
  warmUp: number;
  seconds: number;
  secondsAtHalf: number;
}

/** How many of the product's answers the bare server is given to repeat. */
const RECORDED = 100;

/** Loads the two in turn, changing who is first, so that what else the machine does meets both. */
export async function compare(product: Target, bare: BareServer, load: Load, effort: Effort): Promise<Comparison> {
  await bare.answerWith(await recordAnswers(product.origin, load, RECORDED));
  for (const target of [product, bare]) await saturate(target, load, effort.warmUp);
  const ofProduct: Round[] = [];
  const ofLimit: Round[] = [];
  const turns = [
    async () => ofProduct.push(await saturate(product, load, effort.seconds)),
    async () => ofLimit.push(await saturate(bare, load, effort.seconds)),
  ];
  for (let round = 0; round < effort.rounds; round++) {
    for (const turn of turns) await turn();
    turns.reverse();
  }
  const ratios = ofProduct.map((round, index) => round.requestsPerSecond / (ofLimit[index]?.requestsPerSecond ?? 0));
  return { name: load.name, product: medians(ofProduct), limit: medians(ofLimit), ratio: median(ratios) };
}

function medians(rounds: Round[]): Round {
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    processorTime: median(rounds.map((round) => round.processorTime)),
  };
}
