import { setTimeout as delay } from "node:timers/promises";
import {
  type CronItem,
  type CronItemOptions,
  type Job,
  parseCronItems,
  type Runner,
  run,
  Logger as WorkerLogger,
} from "graphile-worker";
import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import type { Logger } from "pino";
import { createPool } from "../database/connection/pool.server.ts";
import type { Schema } from "../database/schema.server.ts";
import { untilAborted } from "../lib/abort.ts";
import { messageOf } from "../lib/error-message.ts";

/** A refresh takes long, and a message should leave at once. */
const CONCURRENCY = 2;
const ATTEMPTS = 3;
const MAX_BACKOFF = 60_000;
const STOP_TIMEOUT = 5_000;

export interface JobRun {
  payload: unknown;
  db: Kysely<Schema>;
  signal: AbortSignal;
}

/** Of each task one job waits at most. */
export interface Task {
  name: string;
  /** Rejects to be tried again, with waits from 3 s to 6 hours. */
  run(job: JobRun): Promise<void>;
  /** In UTC: minute, hour, day, month, day of the week. Without one, jobs are added. */
  pattern?: string;
  cron?: CronItemOptions;
  onStart?(db: Kysely<Schema>): Promise<void>;
}

interface JobOptions {
  payload?: object;
  maxAttempts: number;
  /** In seconds. If not 0, a waiting job keeps its time; otherwise it runs at once. */
  spacing?: number;
  unlessWaiting?: boolean;
}

/** In a transaction if `db` is one. This instance may not know the task. */
export async function addJob(db: Kysely<Schema>, task: string, options: JobOptions): Promise<void> {
  const { payload = {}, maxAttempts, spacing = 0, unlessWaiting = false } = options;
  const mode = unlessWaiting ? "unsafe_dedupe" : spacing > 0 ? "preserve_run_at" : "replace";
  const add = sql<{ id: string | null }>`
    select id from graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, job_key => ${task},
      max_attempts => ${maxAttempts}, job_key_mode => ${mode},
      run_at => (select now() + make_interval(secs => ${spacing})
        from graphile_worker.jobs where key = ${task} and attempts > 0))`;
  const { rows } = await add.execute(db);
  // None if an instance began the waiting job at this very moment. The second call sees that.
  if (!rows[0]?.id) await add.execute(db);
}

interface QueueOptions {
  url: string;
  tasks: readonly Task[];
  log: Logger;
}

export type JobQueue = ReturnType<typeof startJobs>;

/** Each job runs in one instance. Survives any outage of the database. */
export function startJobs({ url, tasks, log }: QueueOptions) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const lostMessage = "The job queue lost a database connection";
  // One listens, a refresh holds its lock on another, and publishes or asks the queue on the third.
  const { pool, dropConnections } = createPool({ url, name: "front-row-jobs", max: 3, log, lostMessage });
  ignoreSecondRelease(pool);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const createRun =
    (task: Task) =>
    async (payload: unknown, { job }: { job: Job }) => {
      try {
        await task.run({ payload, db, signal });
      } catch (error) {
        if (job.attempts < job.max_attempts) throw error;
        // The job ends all the same: it would stand in the way of the next one.
        log.warn({ job: task.name, reason: messageOf(error) }, "A job has failed until its next time");
      }
    };

  function runQueue(): Promise<Runner> {
    return run({
      pgPool: pool,
      taskList: Object.fromEntries(tasks.map((task) => [task.name, createRun(task)])),
      parsedCronItems: parseCronItems(tasks.flatMap(toCronItems)),
      noHandleSignals: true,
      pollInterval: 10_000,
      concurrency: CONCURRENCY,
      logger: workerLogger(log),
      preset: {
        worker: {
          // By default a result that cannot be written would end the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          // Without one, a worker that is stopped while it asks in vain for a job prints a trace.
          localQueue: { size: CONCURRENCY },
        },
      },
    });
  }

  async function runUntilStopped(): Promise<void> {
    for (let backoff = 1_000; !signal.aborted; backoff = Math.min(backoff * 2, MAX_BACKOFF)) {
      try {
        for (const task of tasks) await task.onStart?.(db);
        const runner = await runQueue();
        backoff = 1_000;
        await untilAborted(signal, runner.promise).finally(() => runner.stop().catch(() => {}));
      } catch (error) {
        if (!signal.aborted)
          log.warn({ reason: String(error) }, "The job queue broke off; it will start again");
      }
      await delay(backoff, undefined, { signal }).catch(() => {});
    }
  }

  const ended = runUntilStopped().then(() => pool.end());
  return {
    dropConnections,
    /** Aborts what runs. Takes seconds at most, even without the database. */
    async stop() {
      stopping.abort();
      await Promise.race([ended, delay(STOP_TIMEOUT, undefined, { ref: false })]);
    },
  };
}

/**
 * A worker whose LISTEN fails while it stops releases its client twice. Nobody handles the error of the second call, so
 * it would end the process.
 */
function ignoreSecondRelease(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  Object.assign(pool, {
    connect: (callback?: Parameters<typeof connect>[0]) =>
      callback
        ? connect((error, client, release) => {
            let isReleased = false;
            callback(error, client, () => {
              // A pool that has ended gives none.
              if (!isReleased) release?.();
              isReleased = true;
            });
          })
        : connect(),
  });
}

function toCronItems({ name, pattern, cron }: Task): CronItem[] {
  const options = { jobKey: name, maxAttempts: ATTEMPTS, backfillPeriod: 0, ...cron };
  return pattern ? [{ task: name, match: pattern, options }] : [];
}

const levels = { error: "warn", warning: "warn", info: "debug", debug: "trace" } as const;

/** Failed tries only at debug level: the task says why they are repeated. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, { failure }) => {
    log[failure ? "debug" : levels[level]]({ from: "job queue" }, message);
  });
}
