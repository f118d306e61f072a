import { constants, setPriority } from "node:os";
import type { Kysely } from "kysely";
import type { Schema } from "../../src/database/schema.server.ts";
import type { InventedReviewer } from "../../tests/support/reviewers.ts";
import { startBareServer } from "../comparisons/start.ts";
import { leastDisturbed } from "../least-disturbed.ts";
import { medianLatency } from "../load/half-load.ts";
import type { Load, Paths } from "../load/loads.ts";
import { prepareLoads } from "../load/loads.ts";
import { readProgramme } from "../load/programme.ts";
import { recordAnswers } from "../load/recorded-answer.ts";
import { startAsker } from "../load/start-asker.ts";
import type { Latency, Steady } from "../load/steady.ts";
import type { Target } from "../load/target.ts";
import { median } from "../median.ts";
import { askServer } from "../metrics.ts";
import { parentOf } from "../processes.ts";
import { type Change, keepRefreshing } from "./refreshing.ts";
import { startReviewers } from "./reviewing.ts";

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
  /** Of a bare server with the same answers, beside the product, to which nothing changes: what the machine takes of it. */
  limit: { quiet: Latency; reviews: Latency; times: number };
  /** The part of the requests that was refused, at its worst. */
  refused: Record<State, number>;
  /** The longest pause of the event loop in any round, in ms. */
  pause: Record<State, number>;
  /** The part of the processors' time that other guests of the host took in the median round. */
  stolen: number;
  /** How much went on meanwhile: refreshes, and reviews a second. */
  refreshes: number;
  reviewsPerSecond: number;
}

/** Requests a second: a crowd, and far from all that the server could bear. */
const RATE = 500;

export const REVIEWS_PER_SECOND = 200;

/** Other requests than those that found out what the site can bear. */
const SEED = 5;

/** Answers that the bare server has, to be sent in turn. */
const RECORDED = 100;

/** What is read: what a page needs that many look at, and what nobody has asked before. */
const READ = ["page: first page of the list", "API: first page of the list", "API: never asked before"];

export interface ChangingWorld {
  site: Target;
  db: Kysely<Schema>;
  people: InventedReviewer[];
  showIds: string[];
}

export interface Lengths {
  roundsOfChange: number;
  secondsOfChange: number;
  /** Longer than a refresh takes, with what it does last: writing the shows and having them read again. */
  secondsOfRefresh: number;
}

/** Reads the site while nothing happens, while its shows are refreshed again and again, and while reviews come in, in turn. */
export async function measureUnderChange(
  world: ChangingWorld,
  { roundsOfChange, secondsOfChange, secondsOfRefresh }: Lengths,
  running: AsyncDisposableStack,
  tell: (result: UnderChange) => void,
): Promise<UnderChange[]> {
  const { site, db, people, showIds } = world;
  // The festival is another machine: what plays it here takes 6 ms for each page that it sends.
  setPriority(parentOf(site.pid), constants.priority.PRIORITY_LOW);
  const ask = startAsker(running);
  const bare = await startBareServer(running);
  const keepReviewing = startReviewers(
    { origin: site.origin, people, showIds, perSecond: REVIEWS_PER_SECOND },
    running,
  );
  const changes: Changes = {
    quiet: () => ({ stop: async () => 0 }),
    refresh: () => keepRefreshing(db),
    reviews: keepReviewing,
  };
  const readBare = async (load: Load, state: State, seconds: number): Promise<Latency> => {
    const changing = changes[state]();
    const next = load.paths(SEED);
    await ask(bare.origin, load, next, RATE, 1);
    const { found } = await leastDisturbed(() => ask(bare.origin, load, next, RATE, seconds));
    await changing.stop();
    return found;
  };
  const read: Read = async (load, next, state, seconds) => {
    const changing = changes[state]();
    // Connections to the database are opened, and what they are asked is prepared: not what goes on, but what begins.
    await ask(site.origin, load, next, RATE, 1);
    const { found, stolen } = await leastDisturbed(async () => {
      await askServer(site.origin);
      const latency = await ask(site.origin, load, next, RATE, seconds);
      const { pause } = await askServer(site.origin);
      return { latency, pause };
    });
    const change = await changing.stop();
    // Not in a refresh, which takes long: the other two say what there is to say.
    const limit = state === "refresh" ? null : await readBare(load, state, seconds);
    return { ...found, stolen, limit, change };
  };
  const loads = await prepareLoads(site.origin, await readProgramme(site.origin));
  const seconds = { quiet: secondsOfChange, refresh: secondsOfRefresh, reviews: secondsOfChange };
  const results: UnderChange[] = [];
  for (const load of loads.filter(({ name }) => READ.includes(name))) {
    await bare.answerWith(await recordAnswers(site.origin, load, RECORDED));
    const result = await measureLoad(read, load, roundsOfChange, seconds);
    results.push(result);
    tell(result);
  }
  return results;
}

interface Found {
  latency: Steady;
  pause: number;
  /** The part of the processors' time that other guests of the host took meanwhile. */
  stolen: number;
  /** Of the bare server, in the same state right afterwards. */
  limit: Latency | null;
  /** Refreshes, or reviews a second. */
  change: number;
}

/** What begins when a state does. */
type Changes = Record<State, () => Change>;

/** Reads the site for so many seconds in a state. */
type Read = (load: Load, next: Paths, state: State, seconds: number) => Promise<Found>;

async function measureLoad(
  read: Read,
  load: Load,
  rounds: number,
  seconds: Record<State, number>,
): Promise<UnderChange> {
  const next = load.paths(SEED);
  const found: Record<State, Found[]> = { quiet: [], refresh: [], reviews: [] };
  // The first of a kind is compiled, connected and prepared: that is not what these figures are about.
  for (const state of states) await read(load, next, state, 1);
  for (let round = 0; round < rounds; round++) {
    for (const state of states) found[state].push(await read(load, next, state, seconds[state]));
  }
  const of = <T>(value: (state: State) => T) => ({
    quiet: value("quiet"),
    refresh: value("refresh"),
    reviews: value("reviews"),
  });
  const limits = { quiet: limitsOf(found.quiet), reviews: limitsOf(found.reviews) };
  return {
    name: load.name,
    rate: RATE,
    latency: of((state) => medianLatency(found[state].map(({ latency }) => latency))),
    times: of((state) =>
      timesAsLong(
        found[state].map(({ latency }) => latency),
        found.quiet.map(({ latency }) => latency),
      ),
    ),
    limit: {
      quiet: medianLatency(limits.quiet),
      reviews: medianLatency(limits.reviews),
      times: timesAsLong(limits.reviews, limits.quiet),
    },
    refused: of((state) => Math.max(...found[state].map(({ latency }) => latency.refused))),
    pause: of((state) => Math.max(...found[state].map(({ pause }) => pause))),
    stolen: median(states.flatMap((state) => found[state].map(({ stolen }) => stolen))),
    refreshes: found.refresh.reduce((sum, { change }) => sum + change, 0),
    reviewsPerSecond: median(found.reviews.map(({ change }) => change)),
  };
}

function limitsOf(found: readonly Found[]): Latency[] {
  return found.flatMap(({ limit }) => (limit ? [limit] : []));
}

/** How many times the quiet p99 is the other, in the median round. */
function timesAsLong(rounds: readonly Latency[], quiet: readonly Latency[]): number {
  return median(rounds.map(({ p99 }, round) => p99 / (quiet[round]?.p99 ?? Number.NaN)));
}
