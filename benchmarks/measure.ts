import { pino } from "pino";
import { startSite, temporaryDataDir } from "../scripts/running-site.ts";
import { type Database, openDatabase } from "../src/database/open.server.ts";
import { inventReviewers, liftLimits } from "../tests/support/reviewers.ts";
import { measureUnderChange, type UnderChange } from "./change/measure.ts";
import { fillReviews } from "./data/reviews.ts";
import { unhurried } from "./data/unhurried.ts";
import { milliseconds, percent, rate, seconds, times } from "./figures.ts";
import { type FirstLoad, measureFirstLoad } from "./first-load.ts";
import { type Growth, measureGrowth } from "./growth/measure.ts";
import type { Comparison, Effort } from "./load/compare.ts";
import type { HalfLoad } from "./load/half-load.ts";
import { measureUnderLoad, type UnderLoad } from "./load/measure.ts";
import type { Latency } from "./load/steady.ts";
import { describeMachine, type Machine, watchTheft } from "./machine.ts";
import { type Memory, watchMemory } from "./memory.ts";
import { measurePhone, type Phone } from "./phone/measure.ts";
import { findServer } from "./processes.ts";
import { followReviews } from "./reviewing.ts";
import { startServer } from "./server.ts";
import { measureStarting, type Starting, type Times } from "./starting.ts";
import { measureWriting, type Writing, type WritingWorld } from "./writing/measure.ts";

/** What can be measured by itself. */
export const parts = ["starting", "first-load", "phone", "load", "writing", "change", "growth"] as const;
export type Part = (typeof parts)[number];

/** What one run measured: everything, or the parts that were asked for. */
export interface Results {
  /** The day, as in 2025-08-31. */
  date: string;
  machine: Machine;
  /** The part of its processors' time that other guests of the same host took meanwhile. */
  stolen?: number;
  starting?: Starting;
  firstLoad?: FirstLoad;
  phone?: Phone;
  underLoad?: UnderLoad;
  writing?: Writing;
  /** From sending a review to its being in another server's list, in ms. */
  shownAfter?: Latency;
  underChange?: UnderChange[];
  memory?: Memory;
  /** Of the last run that measured it. */
  growth?: Growth;
}

/** How many reviews there are to be. */
const REVIEWS = 100_000;

/** How many people review, and how many of the shows. */
const PEOPLE = 1_000;
const REVIEWED = 2_000;

export interface Thoroughness extends Effort, Times {
  roundsOfChange: number;
  /** How long each state of change is kept up, in seconds. */
  secondsOfChange: number;
  /** How long that of refreshing is: for as long as a refresh takes, or longer. */
  secondsOfRefresh: number;
  /** How often a phone opens the site. */
  visits: number;
}

/** Measures one thing after the other, and says how far it is. */
export async function measure(
  effort: Thoroughness,
  asked: ReadonlySet<Part>,
  running: AsyncDisposableStack,
): Promise<Results> {
  const stolen = watchTheft();
  const dataDir = await temporaryDataDir(running);
  const results: Results = { date: new Date().toISOString().slice(0, 10), machine: await describeMachine(dataDir) };

  if (asked.has("starting")) {
    console.log("Starting and stopping …");
    const starting = await measureStarting(dataDir, effort, () => fill(dataDir), running);
    console.log(`  first ${seconds(starting.first)}, again ${seconds(starting.again)}, stop ${seconds(starting.stop)}`);
    results.starting = starting;
  }
  const { origin, pid } = await startSite(dataDir, running);
  const site = { origin, pid: findServer(pid) };
  if (!asked.has("starting")) await fill(dataDir);
  const memory = await watchMemory(site.pid);
  const { db, url, close } = await joinDatabase(dataDir);
  running.defer(close);

  if (asked.has("first-load")) {
    console.log("First load in a browser …");
    results.firstLoad = await measureFirstLoad(origin, running);
  }
  if (asked.has("phone")) {
    console.log("On a phone …");
    results.phone = await alone(running, (own) => measurePhone({ origin, dataDir }, { times: effort.visits }, own));
  }
  if (asked.has("load")) {
    console.log("Under load …");
    results.underLoad = await alone(running, (servers) => measureUnderLoad(site, url, effort, servers, tell));
    results.memory = memory();
  }
  if (asked.has("writing") || asked.has("change")) {
    const world = await inventWorld({ site, db, databaseUrl: url });
    if (asked.has("writing")) Object.assign(results, await measureReviews(world, effort, running));
    if (asked.has("change")) {
      console.log("Under change …");
      results.underChange = await alone(running, (own) =>
        measureUnderChange({ ...world, db }, effort, own, tellChange),
      );
    }
  }
  // At the end: what it takes of this process's memory would hold up those who ask.
  if (asked.has("growth")) {
    console.log("A hundred times as many shows …");
    const usual = { ...site, databaseUrl: url };
    const say = (line: string) => console.log(`  ${line}`);
    results.growth = await alone(running, (servers) => measureGrowth(usual, effort, servers, say));
  }
  return { ...results, stolen: stolen() };
}

/** A site in which many people may review many shows, as often as they like. */
async function inventWorld({
  site,
  db,
  databaseUrl,
}: Pick<WritingWorld, "site" | "databaseUrl"> & Pick<Database, "db">) {
  await liftLimits(db);
  // The site is reached by number here, and known by name to itself.
  const origin = site.origin.replace("127.0.0.1", "localhost");
  const people = await inventReviewers(db, origin, PEOPLE);
  const listed = await db.selectFrom("shows").select("id").where("listed", "=", true).limit(REVIEWED).execute();
  return { site, databaseUrl, origin, people, showIds: listed.map(({ id }) => id) };
}

/** Ends what a part has started before the next one begins. */
async function alone<T>(running: AsyncDisposableStack, work: (own: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const own = running.use(new AsyncDisposableStack());
  const result = await work(own);
  await own.disposeAsync();
  return result;
}

async function measureReviews(world: WritingWorld, effort: Effort, running: AsyncDisposableStack) {
  console.log("Writing reviews …");
  const writing = await measureWriting(world, effort, running);
  const { product, ratio } = writing;
  console.log(`  ${rate(product.perSecond)} reviews/s, ${percent(ratio)} of what clients of the database reach`);
  const other = await startServer({ DATABASE_URL: world.databaseUrl, ORIGIN: world.origin }, running);
  const shownAfter = await followReviews(world.site.origin, other.origin, world.people, world.showIds);
  await other.stop();
  console.log(`  shown elsewhere after ${milliseconds(shownAfter.p50)} ms`);
  return { writing, shownAfter };
}

function joinDatabase(dataDir: string) {
  const log = pino({ level: "silent" });
  return openDatabase({ databaseUrl: undefined, dataDir, log, sharing: "join", answerWithin: 0 });
}

async function fill(dataDir: string): Promise<void> {
  const { db, close } = await joinDatabase(dataDir);
  await unhurried(db, (connection) => fillReviews(connection, REVIEWS));
  await close();
}

function tell(result: Comparison | HalfLoad): void {
  console.log("rate" in result ? `    at half of that: p99 ${milliseconds(result.product.p99)} ms` : inOneLine(result));
}

function inOneLine({ name, product, others }: Comparison): string {
  const rivals = others.map((other) => `${times(other.ratio)} ${other.name}`);
  return `  ${name}: ${rate(product.requestsPerSecond)} requests/s, ${rivals.join(", ")}`;
}

function tellChange({ name, latency, times: more, pause }: UnderChange): void {
  const { quiet, refresh, reviews } = latency;
  const worst = Math.max(pause.refresh, pause.reviews);
  const figures = `p99 ${[quiet, refresh, reviews].map(({ p99 }) => milliseconds(p99)).join(", ")} ms`;
  console.log(
    `  ${name}: ${figures} (${times(more.refresh)}, ${times(more.reviews)}), pause ${milliseconds(worst)} ms`,
  );
}
