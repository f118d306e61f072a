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
import type { Db, Schema } from "../database/schema.server.ts";
import { untilAborted } from "../lib/bounded-wait.ts";
import { messageOf } from "../lib/error-message.ts";

/** A message must not wait for a refresh, which takes long. */
const CONCURRENCY = 2;
const ATTEMPTS = 3;
const MAX_BACKOFF = 60_000;
const STOP_TIMEOUT = 5_000;

export interface JobRun {
  payload: unknown;
  db: Db;
  signal: AbortSignal;
}

/** At most one job of each task waits. */
export interface Task {
  name: string;
  /** Rejects to be retried, with delays from 3 s to 6 hours. */
  run(job: JobRun): Promise<void>;
  /** A cron pattern in UTC. Without one, jobs of the task are added by `addJob`. */
  pattern?: string;
  cron?: CronItemOptions;
  onStart?(db: Db): Promise<void>;
}

interface JobOptions {
  payload?: object;
  maxAttempts: number;
  /** In seconds. Unless it is 0, a waiting job keeps its time. */
  spacing?: number;
}

/** Also adds tasks that this instance does not know. */
export async function addJob(db: Db, task: string, options: JobOptions): Promise<void> {
  const { payload = {}, maxAttempts, spacing = 0 } = options;
  const mode = spacing > 0 ? "preserve_run_at" : "replace";
  const add = sql<{ id: string | null }>`
    select id from graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json, job_key => ${task},
      max_attempts => ${maxAttempts}, job_key_mode => ${mode},
      run_at => (select now() + make_interval(secs => ${spacing})
        from graphile_worker.jobs where key = ${task} and attempts > 0))`;
  const { rows } = await add.execute(db);
  // No id: an instance began the waiting job in this moment. The second call sees that.
  if (!rows[0]?.id) await add.execute(db);
}

export type JobQueue = ReturnType<typeof startJobs>;

/** Each job runs in one instance. After a database outage, the queue starts again. */
export function startJobs({ url, tasks, log }: { url: string; tasks: readonly Task[]; log: Logger }) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const lostMessage = "The job queue lost a database connection";
  // Connections: LISTEN, the lock of a refresh, and all other queries.
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
        // Not thrown: a failed job would block the next one.
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
          // By default, a failure to write a result ends the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          // Without a local queue, a worker that stops during a failing query for jobs prints a stack trace.
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
    /** Aborts running jobs. Takes seconds at most, also in a database outage. */
    async stop() {
      stopping.abort();
      await Promise.race([ended, delay(STOP_TIMEOUT, undefined, { ref: false })]);
    },
  };
}

/**
 * A worker whose LISTEN fails while it stops releases its client twice. The unhandled error of the second call would
 * end the process.
 */
function ignoreSecondRelease(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  Object.assign(pool, {
    connect: (callback?: Parameters<typeof connect>[0]) =>
      callback
        ? connect((error, client, release) => {
            let isReleased = false;
            callback(error, client, () => {
              // An ended pool gives no `release`.
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

/** Failed attempts only at debug level: the task logs its reason. */
function workerLogger(log: Logger): WorkerLogger {
  return new WorkerLogger(() => (level, message, { failure }) => {
    log[failure ? "debug" : levels[level]]({ from: "job queue" }, message);
  });
}
