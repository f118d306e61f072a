import { REVIEWS_PER_SECOND } from "./change/measure.ts";
import { kilobytes, milliseconds, percent, rate, seconds } from "./figures.ts";
import { USUAL } from "./growth/measure.ts";
import { type Comparison, rivalIn } from "./load/compare.ts";
import { rivals } from "./load/measure.ts";
import { OWN_WAY } from "./load/views.ts";
import type { Results } from "./measure.ts";

/** What is asked of a figure, and whether it is met. */
export interface Goal {
  name: string;
  asked: string;
  found: string;
  met: boolean;
}

type Format = (value: number) => string;
type Ask = (name: string, limit: number, found: number | undefined, format: Format) => Goal[];

const most: Ask = (name, limit, found, format) =>
  found === undefined ? [] : [{ name, asked: `≤ ${format(limit)}`, found: format(found), met: found <= limit }];
const least: Ask = (name, limit, found, format) =>
  found === undefined ? [] : [{ name, asked: `≥ ${format(limit)}`, found: format(found), met: found >= limit }];

/** Bytes. */
const KB = 1024;

/** A digit more than elsewhere: 2.03 is more than 2. */
const times: Format = (ratio) => `${Number(ratio.toPrecision(3))} ×`;
const inMs: Format = (value) => `${milliseconds(value)} ms`;
const inKb: Format = (bytes) => `${kilobytes(bytes)} KB`;
const inMb: Format = (value) => `${rate(value)} MB`;

/** Every goal whose figure was measured. */
export function judge(results: Results): Goal[] {
  return [
    ...judgeLoad(results),
    ...judgeRenders(results),
    ...judgeRivals(results),
    ...judgeWriting(results),
    ...judgeChange(results),
    ...judgeRest(results),
    ...judgeFirstLoad(results),
    ...judgePhone(results),
    ...judgeGrowth(results),
  ];
}

/** Whether a goal is met, in a word. */
export function verdict({ met }: Goal): string {
  return met ? "met" : "**not met**";
}

function judgeLoad({ underLoad }: Results): Goal[] {
  const ratios = (underLoad?.comparisons ?? []).flatMap((comparison) =>
    comparison.goal === null
      ? []
      : least(
          `${comparison.name}, part of the limit`,
          comparison.goal,
          rivalIn(comparison, rivals.limit)?.ratio,
          percent,
        ),
  );
  const halves = (underLoad?.halfLoads ?? [])
    .filter(({ name }) => name.startsWith("API"))
    .flatMap(({ name, product }) => most(`${name}, p99 at half load`, 5, product.p99, inMs));
  return [...ratios, ...halves];
}

function judgeRenders({ underLoad }: Results): Goal[] {
  return (underLoad?.comparisons ?? [])
    .filter(({ name }) => name.startsWith("page") && name.endsWith("never asked before"))
    .flatMap(({ name, product }) => most(`${name}, CPU`, 2.5, product.processorTime / 1000, inMs));
}

function judgeRivals({ underLoad }: Results): Goal[] {
  const random = underLoad?.comparisons.find(({ name }) => name === "API: never asked before");
  return [
    ...least("API: never asked before, against good SQL", 4, random && rivalIn(random, rivals.goodSql)?.ratio, times),
    ...least(
      "page views, against the specification's way",
      500,
      underLoad && rivalIn(underLoad.views, OWN_WAY)?.ratio,
      times,
    ),
  ];
}

function judgeWriting({ writing }: Results): Goal[] {
  return least("reviews written, part of what clients of the database reach", 0.7, writing?.ratio, percent);
}

function judgeChange({ underChange = [] }: Results): Goal[] {
  const taken = underChange.length > 0 ? Math.min(...underChange.map((one) => one.reviewsPerSecond)) : undefined;
  const goals = underChange.flatMap(({ name, times: more, pause, refused }) => [
    ...most(`${name}, p99 while a refresh runs`, 2, more.refresh, times),
    ...most(`${name}, p99 while 200 reviews/s come in`, 2, more.reviews, times),
    ...most(`${name}, refused meanwhile`, 0, Math.max(...Object.values(refused)), percent),
    ...most(`${name}, longest pause of the event loop`, 50, Math.max(...Object.values(pause)), inMs),
  ]);
  return [...goals, ...least("reviews stored a second meanwhile", REVIEWS_PER_SECOND * 0.98, taken, rate)];
}

function judgeRest({ memory, starting }: Results): Goal[] {
  return [
    ...most("memory at rest", 150, memory?.atRest, inMb),
    ...most("`npm start`, started before", 2, starting?.again, seconds),
  ];
}

function judgeFirstLoad({ firstLoad }: Results): Goal[] {
  if (!firstLoad) return [];
  const served = (kind: string) =>
    firstLoad.page.filter((file) => file.kind === kind).reduce((bytes, file) => bytes + file.served, 0);
  return [
    ...most("first load, requests", 10, firstLoad.page.length, rate),
    ...most("… scripts", 115 * KB, served("script"), inKb),
    ...most("… styles", 12 * KB, served("stylesheet"), inKb),
    ...most("… page", 15 * KB, served("document"), inKb),
  ];
}

function judgePhone({ phone }: Results): Goal[] {
  if (!phone) return [];
  const { lighthouse, timesToList, interactions } = phone;
  const [bad] = timesToList;
  return [
    ...least("Lighthouse, performance", 98, lighthouse.performance, rate),
    ...most("… largest contentful paint", 1_200, lighthouse.largestContentfulPaint, inMs),
    ...most("… total blocking time", 100, lighthouse.totalBlockingTime, inMs),
    ...most("… cumulative layout shift", 0, lighthouse.cumulativeLayoutShift, String),
    ...most("the list on 400 ms and 400 kbit/s", 3_000, bad?.product, inMs),
    ...least("… against the page without server rendering", 2, bad && bad.baseline / bad.product, times),
    ...interactions.flatMap(({ name, longest }) => most(`${name}, to the next frame`, 100, longest, inMs)),
  ];
}

function judgeGrowth({ growth }: Results): Goal[] {
  if (!growth) return [];
  const { costs, reload, memory, change } = growth;
  const [first, filtered, letters] = costs;
  return [
    ...most("a hundred times as many shows: first page, CPU", 1.5, first && timesAsMuch(first), times),
    ...most("… filtered page, CPU", 2, filtered && timesAsMuch(filtered), times),
    ...most("… three letters, CPU", 15, letters && letters.product.processorTime / 1000, inMs),
    ...most("… loading the catalogue", 8, Math.max(reload.seconds, growth.start), seconds),
    ...most("… longest pause of the event loop meanwhile", 50, reload.pause, inMs),
    ...most("… memory at its highest", 900, memory.highest, inMb),
    ...most("… CPU for one changed review", 2, change.grown.processorTime / change.usual.processorTime, times),
  ];
}

/** How many times the processor time of the usual size a request takes. */
function timesAsMuch(cost: Comparison): number | undefined {
  const usual = rivalIn(cost, USUAL);
  return usual && cost.product.processorTime / usual.round.processorTime;
}
