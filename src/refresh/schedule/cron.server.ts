import { setTimeout as delay } from "node:timers/promises";
import { makeWorkerUtils, parseCronItems, type Runner, run } from "graphile-worker";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Logger } from "pino";
import { z } from "zod";
import type { Schema } from "../../database/schema.server.ts";
import type { RefreshOutcome } from "../run-refresh.server.ts";
import { findForgotten, findOverdue, hasSucceededSince } from "../runs-table.server.ts";
import { workerLogger } from "./worker-logger.server.ts";

/** Hours between two refreshes (docs/product.md §7.2). */
const HOURS = 12;
const TASK = "refresh-shows";
/** Waits grow from 3 s to 50 min: a failing refresh is tried for some 80 minutes, then at its next time. */
const job = { jobKey: TASK, maxAttempts: 9 };
/** The longest wait before the queue is looked after again when that failed, in ms. */
const LONGEST_WAIT = 60_000;
/** How often to look whether the timetable has forgotten a refresh, in ms. */
const LOOK_EVERY = 60 * 60_000;
/** How long `stop` waits for everything to end, in ms. */
const PATIENCE = 3_000;

export interface ScheduleOptions {
  /** The database's. The schedule has connections of its own: one of them listens for hours. */
  url: string;
  /** Refreshes the shows unless that has succeeded since a time (ISO 8601); to end early when the signal is aborted. */
  refresh: (signal: AbortSignal, unlessSince: string) => Promise<RefreshOutcome>;
  log: Logger;
  /** How often to look whether a refresh was forgotten, in ms. */
  lookEvery?: number;
}

export interface Schedule {
  /** Aborts a running refresh and ends, within seconds even while the database is away. */
  stop(): Promise<void>;
}

/**
 * Refreshes the shows at midnight and noon UTC, once across all instances, and at start where that was missed. Goes on
 * through any absence of the database.
 */
export function startSchedule({ url, refresh, log, lookEvery = LOOK_EVERY }: ScheduleOptions): Schedule {
  const stopping = new AbortController();
  const pool = openPool(url, log);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const taskList = { [TASK]: refreshOnce({ db, refresh, log, signal: stopping.signal }) };
  const running = keepRunning({ pool, db, taskList, log, lookEvery, signal: stopping.signal });
  return {
    async stop() {
      stopping.abort();
      await soon(running);
      await soon(pool.end());
    },
  };
}

function openPool(url: string, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: "front-row-schedule",
  });
  pool.on("error", (error) => log.warn({ reason: error.message }, "The schedule lost a database connection"));
  // A connection that breaks while it is in use tells its user too; without a listener it would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

interface TaskOptions extends Pick<ScheduleOptions, "refresh" | "log"> {
  db: Kysely<Schema>;
  signal: AbortSignal;
}

/** Jobs say since when there has to be a refresh: those of the timetable by the time that they were due at. */
const payload = z.union([
  z.object({ since: z.string() }),
  z.object({ _cron: z.object({ ts: z.string() }) }).transform(({ _cron }) => ({ since: _cron.ts })),
]);

/** The job: refreshes the shows unless that has happened meanwhile. Throws where it is to be tried again; a refused one is not. */
function refreshOnce({ db, refresh, log, signal }: TaskOptions) {
  return async (given: unknown): Promise<void> => {
    const { since } = payload.parse(given);
    if (await hasSucceededSince(db, since)) return;
    const { outcome } = await refresh(signal, since);
    if (outcome === "succeeded" || outcome === "current" || outcome === "refused") return;
    if (!signal.aborted) log.warn({ outcome }, "The shows were not refreshed; it will be tried again");
    throw new Error(`The refresh ended as ${outcome}`);
  };
}

interface RunOptions {
  pool: pg.Pool;
  db: Kysely<Schema>;
  taskList: Record<string, (given: unknown) => Promise<void>>;
  log: Logger;
  lookEvery: number;
  signal: AbortSignal;
}

type QueueOptions = Omit<RunOptions, "signal" | "lookEvery">;

/** Runs the job queue until the signal is aborted, and again whenever it ends before that. */
async function keepRunning({ signal, ...options }: RunOptions): Promise<void> {
  for (let wait = 1_000; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      await catchUp(options, await findOverdue(options.db, HOURS));
      const runner = await runQueue(options);
      const looking = setInterval(() => void lookForForgotten(options), options.lookEvery);
      try {
        wait = 1_000;
        await Promise.race([runner.promise, aborted(signal)]);
      } finally {
        clearInterval(looking);
        // It rejects where the runner has ended already.
        await runner.stop().catch(() => {});
      }
    } catch (error) {
      options.log.warn({ reason: String(error) }, "The schedule broke off; it will start again");
    }
    await delay(wait, undefined, { signal }).catch(() => {});
  }
}

/** Adds a job where a refresh is missing since a time; however many instances do so at once, one job is waiting. */
async function catchUp({ pool, log }: QueueOptions, since: string | null): Promise<void> {
  const queue = await makeWorkerUtils({ pgPool: pool, logger: workerLogger(log) });
  if (since !== null) await queue.addJob(TASK, { since }, job);
  await queue.release();
}

/**
 * Makes up for a refresh that its time did not bring. The timetable goes by this machine's clock, and a clock that was ahead for a
 * while leaves it waiting for the times that it has seen. Here the database's clock counts.
 */
async function lookForForgotten(options: QueueOptions): Promise<void> {
  try {
    const since = await findForgotten(options.db, HOURS + 1);
    if (since === null) return;
    options.log.warn({ since }, "The timetable has forgotten a refresh; it will be made now");
    await catchUp(options, since);
  } catch (error) {
    options.log.warn({ reason: String(error) }, "Whether a refresh was forgotten cannot be found out now");
  }
}

function runQueue({ pool, taskList, log }: QueueOptions): Promise<Runner> {
  const backfillPeriod = HOURS * 60 * 60_000;
  return run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems([
      { task: TASK, match: `0 */${HOURS} * * *`, options: { ...job, jobKeyMode: "replace", backfillPeriod } },
    ]),
    noHandleSignals: true,
    pollInterval: 10_000,
    logger: workerLogger(log),
    // Without batches the worker does not wait for a job's end to be written, and failing at that would end the process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  return promise;
}

/** Waits for something that may take too long, or fail, when everything is ending anyway. */
async function soon(work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => {}), delay(PATIENCE, undefined, { ref: false })]);
}
