import { createHistogram } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { openConnection } from "../dev/harness/http-connection.ts";
import { type Figures, significant } from "./goals.ts";
import {
  type Effort,
  get,
  type Load,
  median,
  medianRatio,
  saturating,
  type Target,
  takeTurns,
} from "./load.ts";
import { firstApiPage, firstPage, newApiQueries, newPages } from "./measure-reads.ts";
import { putReview, type Reviews } from "./measure-writes.ts";

const REVIEWS_PER_SECOND = 20;
const READS_PER_SECOND = 300;
/** For each kind of request: enough to send them when they are due. */
const CONNECTIONS = 16;
const REFRESH_TIMEOUT_MS = 120_000;
/** How long reads are measured before each refresh, and how long after it the catalogue may be read again, in ms. */
const QUIET_MS = 5_000;
const RELOAD_MS = 2_000;
/** How often Node looks at its event loop, in ms: what it reports includes that much waiting. */
const RESOLUTION_MS = 10;

/** Goal 6: reads while 20 reviews a second come in and the shows are refreshed, in turn with quiet ones. */
export async function measureChange(
  product: Target,
  { pool, texts, ...reviews }: Reviews & { pool: pg.Pool; texts: readonly string[] },
  effort: Effort,
): Promise<Figures> {
  const { origin } = product;
  const page = saturating(product, newPages(texts));
  await takeTurns([page], effort);
  const latencies = createHistogram();
  let refused = 0;
  const loads = [firstPage, firstApiPage, newApiQueries(texts)];
  const read =
    ({ headers, nextPath }: Load) =>
    (signal: AbortSignal) =>
      atSteadyRate(READS_PER_SECOND / loads.length, signal, () => {
        const connection = openConnection(origin, headers);
        return async (due) => {
          if (!(await get(connection, nextPath()))) refused++;
          latencies.record(Math.max(1, Math.round((performance.now() - due) * 1000)));
        };
      });
  let turn = 10_000_000; // No review that measured the writes is sent again.
  const review = (signal: AbortSignal) =>
    atSteadyRate(REVIEWS_PER_SECOND, signal, () => {
      const connection = openConnection(origin, {});
      return async () => void (await putReview(connection, reviews, turn++));
    });

  const quiet: number[] = [];
  const busy: number[] = [];
  const pauses: number[] = [];
  const refreshes: number[] = [];
  await during(loads.map(read), async () => {
    await delay(2_000); // Connections are opened and code is compiled.
    for (let round = 0; round < effort.rounds; round++) {
      latencies.reset();
      await delay(QUIET_MS);
      quiet.push(latencies.percentile(99) / 1000);
      await longestPause(origin);
      latencies.reset();
      await during([review], async () => {
        refreshes.push(await refreshShows(pool));
        await delay(RELOAD_MS);
      });
      busy.push(latencies.percentile(99) / 1000);
      pauses.push(await longestPause(origin));
    }
  });
  const rendering = page.rounds.map(({ cpu }) => cpu);
  return {
    readsP99: {
      value: medianRatio(busy, quiet),
      detail: `${ms(busy)} of ${READS_PER_SECOND} reads/s, quiet ${ms(quiet)}; refresh of ${ms(refreshes)}`,
    },
    readsRefused: { value: refused },
    longestPause: {
      value: medianRatio(pauses, rendering),
      detail: `${ms(pauses)}, page ${ms(rendering)}`,
    },
  };
}

const ms = (values: readonly number[]) => `${significant(median(values))} ms`;

/** Keeps up loads while something is done. @throws what a load throws, which then has ended early */
async function during<Result>(
  loads: readonly ((signal: AbortSignal) => Promise<void>)[],
  work: () => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const loading = Promise.all(loads.map((load) => load(ended.signal)));
  const failed = loading.then(() => Promise.reject(new Error("The load ended early")));
  failed.catch(() => {});
  const result = await Promise.race([work(), failed]);
  ended.abort();
  await loading;
  return result;
}

/**
 * Does a job at a steady rate until the signal. The job gets the time when it was due, so that a server that stalls
 * is charged for the waiting.
 */
async function atSteadyRate(
  perSecond: number,
  signal: AbortSignal,
  createWorker: () => (due: number) => Promise<void>,
): Promise<void> {
  const began = performance.now();
  let taken = 0;
  const work = async () => {
    const job = createWorker();
    while (!signal.aborted) {
      const due = began + (taken++ / perSecond) * 1000;
      await delay(Math.max(0, due - performance.now()));
      await job(due);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}

/** The longest pause of the event loop since the last call, in ms, from the server's metrics. */
async function longestPause(origin: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const value = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  return Math.max(0, Number(value) * 1000 - RESOLUTION_MS);
}

/**
 * Has the server refresh its shows as its schedule does, a tenth of them changed.
 * @returns how long that took, in ms
 */
async function refreshShows(pool: pg.Pool): Promise<number> {
  await pool.query("update shows set genre = genre || '.' where listed and hashtext(id) % 10 = 0");
  const { rows } = await pool.query<{ since: string }>(
    `with asked as (select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as since)
     select since, graphile_worker.add_job('refresh-shows', json_build_object('since', since)) from asked`,
  );
  const since = rows[0]?.since;
  const began = performance.now();
  while (performance.now() - began < REFRESH_TIMEOUT_MS) {
    await delay(100);
    const ended = await pool.query("select outcome from refreshes where started_at >= $1::timestamptz", [
      since,
    ]);
    const outcome = ended.rows[0]?.outcome;
    if (outcome === "succeeded") return performance.now() - began;
    if (outcome) throw new Error(`A refresh ended as ${outcome}`);
  }
  throw new Error("A refresh did not end");
}
