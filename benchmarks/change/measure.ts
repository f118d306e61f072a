import type { Kysely } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import type { InventedReviewer } from "../../tests/support/reviewers.ts";
import { medianLatency } from "../load/half-load.ts";
import type { Load, Paths } from "../load/loads.ts";
import { prepareLoads } from "../load/loads.ts";
import { readProgramme } from "../load/programme.ts";
import { askSteadily, type Latency, type Steady } from "../load/steady.ts";
import type { Target } from "../load/target.ts";
import { median } from "../median.ts";
import { longestPause } from "../metrics.ts";
import { keepRefreshing } from "./refreshing.ts";
import { keepReviewing } from "./reviewing.ts";

/** What goes on while the site is read. */
export const states = ["quiet", "refresh", "reviews"] as const;
export type State = (typeof states)[number];

/** Reading at a steady rate while things change: medians of the rounds. */
export interface UnderChange {
  name: string;
  /** Requests a second. */
  rate: number;
  latency: Record<State, Latency>;
  /** How many times its quiet value p99 is, within a round. */
  times: Record<State, number>;
  /** The part of the requests that was refused, at its worst. */
  refused: Record<State, number>;
  /** The longest pause of the event loop in any round, in ms. */
  pause: Record<State, number>;
  /** How much went on meanwhile: refreshes, and reviews a second. */
  refreshes: number;
  reviewsPerSecond: number;
}

/** Requests a second: a crowd, and far from all that the server could bear. */
const RATE = 500;

export const REVIEWS_PER_SECOND = 200;

/** Other requests than those that found out what the site can bear. */
const SEED = 5;

/** What is read: what a page needs that many look at, and what nobody has asked before. */
const READ = ["page: first page of the list", "API: first page of the list", "API: never asked before"];

export interface ChangingWorld {
  site: Target;
  db: Kysely<Schema>;
  people: InventedReviewer[];
  showIds: string[];
}

export interface Lengths {
  rounds: number;
  secondsOfChange: number;
  /** Longer than a refresh takes: what it does last, writing the shows and having them read again, weighs most. */
  secondsOfRefresh: number;
}

/** Reads the site while nothing happens, while its shows are refreshed again and again, and while reviews come in, in turn. */
export async function measureUnderChange(
  world: ChangingWorld,
  { rounds, secondsOfChange, secondsOfRefresh }: Lengths,
  tell: (result: UnderChange) => void,
): Promise<UnderChange[]> {
  const { site } = world;
  const loads = await prepareLoads(site.origin, await readProgramme(site.origin));
  const seconds = { quiet: secondsOfChange, refresh: secondsOfRefresh, reviews: secondsOfChange };
  const results: UnderChange[] = [];
  for (const load of loads.filter(({ name }) => READ.includes(name))) {
    const result = await measureLoad(world, load, rounds, seconds);
    results.push(result);
    tell(result);
  }
  return results;
}

interface Found {
  latency: Steady;
  pause: number;
  /** Refreshes, or reviews a second. */
  change: number;
}

async function measureLoad(
  world: ChangingWorld,
  load: Load,
  rounds: number,
  seconds: Record<State, number>,
): Promise<UnderChange> {
  const next = load.paths(SEED);
  const found: Record<State, Found[]> = { quiet: [], refresh: [], reviews: [] };
  // The first of a kind is compiled, connected and prepared: that is not what these figures are about.
  for (const state of states) await read(world, load, next, state, 1);
  for (let round = 0; round < rounds; round++) {
    for (const state of states) found[state].push(await read(world, load, next, state, seconds[state]));
  }
  const of = <T>(value: (state: State) => T) => ({
    quiet: value("quiet"),
    refresh: value("refresh"),
    reviews: value("reviews"),
  });
  return {
    name: load.name,
    rate: RATE,
    latency: of((state) => medianLatency(found[state].map(({ latency }) => latency))),
    times: of((state) =>
      median(found[state].map(({ latency }, round) => latency.p99 / (found.quiet[round]?.latency.p99 ?? 0))),
    ),
    refused: of((state) => Math.max(...found[state].map(({ latency }) => latency.refused))),
    pause: of((state) => Math.max(...found[state].map(({ pause }) => pause))),
    refreshes: found.refresh.reduce((sum, { change }) => sum + change, 0),
    reviewsPerSecond: median(found.reviews.map(({ change }) => change)),
  };
}

async function read(world: ChangingWorld, load: Load, next: Paths, state: State, seconds: number): Promise<Found> {
  const { site, db, people, showIds } = world;
  const changing = await {
    quiet: () => ({ stop: async () => 0 }),
    refresh: () => keepRefreshing(db),
    reviews: () => keepReviewing({ origin: site.origin, people, showIds, perSecond: REVIEWS_PER_SECOND }),
  }[state]();
  await longestPause(site.origin);
  const latency = await askSteadily(site.origin, load, next, RATE, seconds);
  const pause = await longestPause(site.origin);
  return { latency, pause, change: await changing.stop() };
}
