import { createHistogram } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { openConnection } from "../dev/harness/http-connection.ts";
import type { Measured } from "./goals.ts";
import { get, type Load, type Target } from "./load.ts";
import { firstApiPage, firstPage, newApiQueries } from "./measure-reads.ts";
import { putReview, type Reviews } from "./measure-writes.ts";

const REVIEWS_PER_SECOND = 20;
const READS_PER_SECOND = 300;
/** For each kind of request: enough to send them when they are due. */
const CONNECTIONS = 16;
const REFRESH_TIMEOUT_MS = 120_000;
/** How often Node looks at its event loop, in ms: what it reports includes that much waiting. */
const RESOLUTION_MS = 10;

/** Goal 6: reads while 20 reviews a second come in and the shows are refreshed. */
export async function measureChange(
  { origin }: Target,
  {
    pool,
    texts,
    seconds,
    ...reviews
  }: Reviews & { pool: pg.Pool; texts: readonly string[]; seconds: number },
): Promise<Measured> {
  const loads = [firstPage, firstApiPage, newApiQueries(texts)];
  const latencies = createHistogram();
  const refused = { reads: 0, reviews: 0 };
  const ended = new AbortController();
  const read = ({ headers, nextPath }: Load) =>
    atSteadyRate(READS_PER_SECOND / loads.length, ended.signal, () => {
      const connection = openConnection(origin, headers);
      return async (due) => {
        if (!(await get(connection, nextPath()))) refused.reads++;
        latencies.record(Math.max(1, Math.round((performance.now() - due) * 1000)));
      };
    });
  let turn = 10_000_000; // No review that measured the writes is sent again.
  const review = atSteadyRate(REVIEWS_PER_SECOND, ended.signal, () => {
    const connection = openConnection(origin, {});
    return async () => {
      if (!(await putReview(connection, reviews, turn++))) refused.reviews++;
    };
  });
  const working = Promise.all([...loads.map(read), review]);
  const failed = working.then(() => Promise.reject(new Error("The load ended early")));
  failed.catch(() => {});
  await Promise.race([delay(2_000), failed]); // Connections are opened and code is compiled.
  await longestPause(origin);
  latencies.reset();
  refused.reads = 0;
  const [refreshed] = await Promise.race([Promise.all([refreshShows(pool), delay(seconds * 1000)]), failed]);
  const pause = await longestPause(origin);
  ended.abort();
  await working;
  const refresh = `refresh of ${(refreshed / 1000).toFixed(1)} s`;
  return {
    values: { readsP99: latencies.percentile(99) / 1000, readsRefused: refused.reads, longestPause: pause },
    details: { readsP99: `${READS_PER_SECOND} reads/s, ${refresh}, ${refused.reviews} reviews refused` },
  };
}

/**
 * Does a job at a steady rate until the signal. The job is told when it was due, so that a server that stalls
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
