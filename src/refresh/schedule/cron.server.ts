import { setTimeout as delay } from "node:timers/promises";
import { type CronItem, makeWorkerUtils, parseCronItems, type Runner, run } from "graphile-worker";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type { Logger } from "pino";
import { z } from "zod";
import { createPool } from "../../database/connection/pool.server.ts";
import type { Schema } from "../../database/schema.server.ts";
import type { RefreshOutcome } from "../run-refresh.server.ts";
import { findMissed, findOverdue, hasSucceededSince } from "../runs-table.server.ts";
import { workerLogger } from "./worker-logger.server.ts";

/** Hours between two refreshes (docs/product.md §7.2). */
const HOURS = 12;
const TASK = "refresh-shows";
/** With backoff from 3 s to 50 min, it retries for about 80 minutes (docs/product.md §7.2). */
const job = { jobKey: TASK, maxAttempts: 9 };
/** How often another task is tried, until its next time. */
const TASK_ATTEMPTS = 3;
/** The longest delay before the job queue is restarted after a failure, in ms. */
const MAX_BACKOFF = 60_000;
/** How often to check whether a scheduled refresh was missed, in ms. */
const CHECK_INTERVAL = 60 * 60_000;
/** How long `stop` waits for each of its two steps, in ms. */
const STOP_TIMEOUT = 3_000;

/** Another task of the job queue. */
export interface ScheduledTask {
  name: string;
  /** When one instance runs it, in UTC: minute, hour, day, month, day of the week. */
  pattern: string;
  /** Rejects to be tried again. Runs on the schedule's connections. */
  run: (db: Kysely<Schema>, signal: AbortSignal) => Promise<void>;
}

export interface ScheduleOptions {
  /**
   * The database URL, where sessions last. The schedule uses its own connections, because one of them listens
   * permanently.
   */
  url: string;
  /**
   * Runs a refresh on the schedule's connections, unless one has succeeded since a time (ISO 8601). Aborting
   * the signal must stop it.
   */
  refresh: (signal: AbortSignal, unlessSucceededSince: string, db: Kysely<Schema>) => Promise<RefreshOutcome>;
  /** What else the job queue runs. */
  tasks?: readonly ScheduledTask[];
  log: Logger;
  /** How often to check for a missed refresh, in ms. */
  checkInterval?: number;
}

export interface Schedule {
  /** Closes its connections, so that the next ones lead to the server of that moment. */
  dropConnections(): void;
  /** Aborts a running refresh and stops the schedule. Takes seconds at most, even without the database. */
  stop(): Promise<void>;
}

/**
 * Refreshes the shows at midnight and noon UTC, in one instance, and at the start if a refresh was missed
 * (docs/product.md §7.2), and runs other tasks at their times. Survives any outage of the database.
 */
export function startSchedule({
  url,
  refresh,
  tasks = [],
  log,
  checkInterval = CHECK_INTERVAL,
}: ScheduleOptions): Schedule {
  const stopping = new AbortController();
  const lostMessage = "The schedule lost a database connection";
  // One listens, a refresh holds its lock on another, and publishes or asks the queue on the third.
  const { pool, dropConnections } = createPool({ url, name: "front-row-schedule", max: 3, log, lostMessage });
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const { signal } = stopping;
  const taskList: TaskList = { [TASK]: createTask({ db, refresh, log, signal }) };
  for (const { name, run } of tasks) taskList[name] = () => run(db, signal);
  const cronItems = tasks.map(({ name, pattern }) => ({
    task: name,
    match: pattern,
    // A job that waits or fails is replaced by the next one.
    options: { jobKey: name, maxAttempts: TASK_ATTEMPTS, backfillPeriod: 0 },
  }));
  const running = runUntilAborted({ pool, db, taskList, cronItems, log, checkInterval, signal });
  return {
    dropConnections,
    async stop() {
      stopping.abort();
      await settleOrTimeout(running);
      await settleOrTimeout(pool.end());
    },
  };
}

interface TaskOptions extends Pick<ScheduleOptions, "refresh" | "log"> {
  db: Kysely<Schema>;
  signal: AbortSignal;
}

/** The time since which a refresh must have succeeded; for a scheduled job, the time at which it was due. */
const jobPayload = z.union([
  z.object({ since: z.string() }),
  z.object({ _cron: z.object({ ts: z.string() }) }).transform(({ _cron }) => ({ since: _cron.ts })),
]);

/** The job's task. Throws so that the queue retries, except after a refusal, which needs the operator. */
function createTask({ db, refresh, log, signal }: TaskOptions) {
  return async (payload: unknown): Promise<void> => {
    const { since } = jobPayload.parse(payload);
    if (await hasSucceededSince(db, since)) return;
    const { outcome } = await refresh(signal, since, db);
    if (outcome === "succeeded" || outcome === "current" || outcome === "refused") return;
    if (!signal.aborted) log.warn({ outcome }, "The shows were not refreshed; it will be tried again");
    throw new Error(`The refresh ended as ${outcome}`);
  };
}

type TaskList = Record<string, (payload: unknown) => Promise<void>>;

interface RunOptions {
  pool: pg.Pool;
  db: Kysely<Schema>;
  taskList: TaskList;
  cronItems: CronItem[];
  log: Logger;
  checkInterval: number;
  signal: AbortSignal;
}

type QueueOptions = Omit<RunOptions, "signal" | "checkInterval">;

/** Runs the job queue until the signal is aborted, and restarts it with exponential backoff if it fails. */
async function runUntilAborted({ signal, ...options }: RunOptions): Promise<void> {
  for (let backoff = 1_000; !signal.aborted; backoff = Math.min(backoff * 2, MAX_BACKOFF)) {
    try {
      await addJob(options, await findOverdue(options.db, HOURS));
      const runner = await runQueue(options);
      const checking = setInterval(() => void checkForMissed(options), options.checkInterval);
      try {
        backoff = 1_000;
        await Promise.race([runner.promise, whenAborted(signal)]);
      } finally {
        clearInterval(checking);
        // Rejects if the runner has already stopped.
        await runner.stop().catch(() => {});
      }
    } catch (error) {
      options.log.warn({ reason: String(error) }, "The schedule broke off; it will start again");
    }
    await delay(backoff, undefined, { signal }).catch(() => {});
  }
}

/** Adds a job unless `since` is null. The job key keeps several instances from adding more than one. */
async function addJob({ pool, log }: QueueOptions, since: string | null): Promise<void> {
  const queue = await makeWorkerUtils({ pgPool: pool, logger: workerLogger(log) });
  if (since !== null) await queue.addJob(TASK, { since }, job);
  await queue.release();
}

/**
 * Adds a job if a scheduled refresh was missed. The cron of graphile-worker uses this machine's clock, and
 * after a clock that ran ahead it skips the times it has already seen. This check uses the database's clock.
 */
async function checkForMissed(options: QueueOptions): Promise<void> {
  try {
    const since = await findMissed(options.db, HOURS + 1);
    if (since === null) return;
    options.log.warn({ since }, "A scheduled refresh was missed; starting it now");
    await addJob(options, since);
  } catch (error) {
    options.log.warn({ reason: String(error) }, "Checking for a missed refresh failed");
  }
}

function runQueue({ pool, taskList, cronItems, log }: QueueOptions): Promise<Runner> {
  const backfillPeriod = HOURS * 60 * 60_000;
  return run({
    pgPool: pool,
    taskList,
    parsedCronItems: parseCronItems([
      { task: TASK, match: `0 */${HOURS} * * *`, options: { ...job, jobKeyMode: "replace", backfillPeriod } },
      ...cronItems,
    ]),
    noHandleSignals: true,
    pollInterval: 10_000,
    logger: workerLogger(log),
    preset: {
      worker: {
        // By default the worker does not await writing a job's result, and a failed write would end the
        // process.
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        // Without one, a worker that is stopped while it asks in vain for a job prints a trace.
        localQueue: { size: 1 },
      },
    },
  });
}

function whenAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (signal.aborted) resolve();
  return promise;
}

/** Waits for `work`, but not longer than the stop timeout. Ignores its errors. */
async function settleOrTimeout(work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => {}), delay(STOP_TIMEOUT, undefined, { ref: false })]);
}
