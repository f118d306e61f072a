import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { addJob, type JobQueue, startJobs } from "../../src/jobs/job-queue.server.ts";
import { type Refresh, refreshTask } from "../../src/refresh/refresh-task.server.ts";
import { findOverdue } from "../../src/refresh/refreshes-table.server.ts";
import { type RefreshOutcome, refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { createReadiness } from "../../src/server/readiness.server.ts";
import { ago, givenEarlier, givenRefresh, givenSignIn } from "../support/given.ts";
import { givenNoJobs, makeJobsDue, pendingJobs, untilListening } from "../support/job-queue.ts";
import { readMetrics } from "../support/metrics.ts";
import {
  emptyTables,
  festivalSettings,
  holdSecondPage,
  listedIds,
  recordingLog,
  refreshRows,
  startSmallFestival,
} from "../support/refreshes.ts";
import { setUpDatabase, setUpRelay } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { testRows } from "../support/test-rows.ts";

const database = await setUpDatabase();
const { db } = database;
const relay = await setUpRelay(database);
const { log, lines } = recordingLog();
const queues: JobQueue[] = [];

beforeEach(async () => {
  // The database may still know a queue whose connections were cut.
  const connected = sql`select from pg_stat_activity
    where application_name = 'front-row-jobs' and datname = current_database()`;
  await vi.waitUntil(async () => (await connected.execute(db)).rows.length === 0, wait);
  await emptyTables(db);
  await givenNoJobs(db);
  await sql`delete from graphile_worker._private_known_crontabs`.execute(db);
  relay.restore();
  lines.length = 0;
});
afterEach(async () => {
  await Promise.all(queues.splice(0).map((started) => started.stop()));
});

const wait = { timeout: 20_000, interval: 20 };

/** Starts a job queue that ends with the test. */
function startQueue(refresh: Refresh, url = database.url): JobQueue {
  const queue = startJobs({ url, tasks: [refreshTask(refresh, log)], log });
  queues.push(queue);
  return queue;
}

/** A refresh with these outcomes, call by call. Records its runs like a real one. */
function fakeRefresh(...outcomes: RefreshOutcome["outcome"][]) {
  return vi.fn<Refresh>(async () => {
    const outcome = outcomes.shift() ?? "succeeded";
    if (outcome === "busy" || outcome === "current") return { outcome };
    await recordRun(outcome);
    return outcome === "succeeded"
      ? { outcome, listed: 1, added: 1, changed: 0, removed: 0, returned: 0, skipped: 0 }
      : { outcome, reason: "as the test wants" };
  });
}

type Outcome = "succeeded" | "failed" | "refused" | "interrupted" | null;

async function recordRun(outcome: Outcome, hoursAgo = 0): Promise<void> {
  const at = ago({ hours: hoursAgo });
  await givenRefresh(db, { started_at: at, finished_at: outcome === null ? null : at, outcome });
}

const untilNoJobs = () => vi.waitUntil(async () => (await pendingJobs(db)).length === 0, wait);
const untilCalled = (refresh: { mock: { calls: unknown[] } }, times = 1) =>
  vi.waitUntil(() => refresh.mock.calls.length === times, wait);

/** Adds a job as cron does, due this many hours ago. */
async function addRefresh(hoursAgo: number): Promise<void> {
  const payload = JSON.stringify({ _cron: { ts: ago({ hours: hoursAgo }).toISOString() } });
  await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json, max_attempts => 9,
    job_key => 'refresh-shows')`.execute(db);
}

/** Waits until no job is left, with retries due at once. */
const untilDone = () =>
  vi.waitUntil(async () => (await pendingJobs(db)).length === 0 || makeJobsDue(db), wait);

test.each<[boolean, string, [Outcome, number][]]>([
  [true, "there was no run yet", []],
  [true, "the last success is older than 12 hours", [["succeeded", 12.1]]],
  [true, "the last run has not ended", [["succeeded", 5], [null, 1]]],
  [true, "the last run failed", [["succeeded", 5], ["failed", 1]]],
  [false, "the last success is younger than 12 hours", [["succeeded", 11.9]]],
  [false, "a success followed a failure", [["failed", 2], ["succeeded", 1]]],
  [false, "the last run was refused", [["succeeded", 5], ["refused", 1]]],
])("a start adds a refresh: %s, when %s", async (isAdded, _when, recorded) => {
  for (const run of recorded) await recordRun(...run);
  await refreshTask(fakeRefresh(), log).onStart?.(db);
  expect(await pendingJobs(db)).toHaveLength(isAdded ? 1 : 0);
}); // biome-ignore format: a table

test("refreshes once when several instances start together (docs/product.md §7.2)", async () => {
  const { fake } = await startSmallFestival();
  onTestFinished(fake.close);
  const refresh: Refresh = (signal, unlessSucceededSince) =>
    refreshShows({ db: db, api: fake, log, signal, unlessSucceededSince });
  const refreshes = [vi.fn(refresh), vi.fn(refresh), vi.fn(refresh)];
  for (const each of refreshes) startQueue(each);
  const outcomes = async () => (await refreshRows(db)).map(({ outcome }) => outcome);
  await vi.waitUntil(async () => (await outcomes()).includes("succeeded"), wait);
  await untilListening(db);
  await Promise.all(queues.map((each) => each.stop()));
  startQueue(refresh);
  await untilListening(db);
  await untilDone();
  expect(await refreshRows(db)).toHaveLength(1);
  expect(await findOverdue(db, 12)).toBeNull();
});

test("runs a missed refresh at the start", async () => {
  const sinceDue = (Date.now() / 3_600_000) % 12;
  await recordRun("succeeded", sinceDue + 0.1);
  const before = startQueue(fakeRefresh());
  await untilListening(db);
  await before.stop();
  await sql`update graphile_worker._private_known_crontabs set last_execution = now() - interval '13 hours'
    where identifier = 'refresh-shows'`.execute(db);
  const missed = fakeRefresh();
  startQueue(missed);
  await vi.waitUntil(() => missed.mock.calls.length === 1 || makeJobsDue(db), wait);
});

test.each([
  ["failed", 2],
  ["busy", 2],
  ["interrupted", 2],
  ["refused", 1],
] as const)("a refresh that ends as %s is called %i times in all", async (outcome, calls) => {
  const refresh = fakeRefresh(outcome);
  startQueue(refresh);
  await untilCalled(refresh);
  if (calls > 1) await vi.waitUntil(async () => (await pendingJobs(db))[0]?.attempts === 1, wait);
  await untilDone();
  expect(refresh).toHaveBeenCalledTimes(calls);
});

test("refreshes at once although a killed instance still holds the job", async () => {
  await recordRun("succeeded", 11.5);
  startQueue(fakeRefresh());
  await untilListening(db);
  await queues[0]?.stop();
  await sql`select graphile_worker.add_job('refresh-shows', '{}', job_key => 'refresh-shows')`.execute(db);
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed'`.execute(db);
  await recordRun(null, 0.01);
  const refresh = fakeRefresh();
  startQueue(refresh);
  await untilCalled(refresh);
});

test("continues after database outages at its start, during a refresh and while it waits", async () => {
  relay.cut();
  const succeed = fakeRefresh();
  const refresh = vi.fn<Refresh>(async (...run) => {
    if (refresh.mock.calls.length > 1) return succeed(...run);
    relay.cut();
    return { outcome: "failed", reason: "the database is unavailable" };
  });
  startQueue(refresh, relay.url);
  const isLogged = (line: string) => vi.waitUntil(() => lines.some(({ msg }) => msg.startsWith(line)), wait);
  await isLogged("The job queue broke off");
  relay.restore();
  await isLogged("Failed to fail jobs");
  relay.restore();
  await untilCalled(refresh, 2);
  await untilNoJobs();
  await untilListening(db);
  const { rows } = await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'front-row-jobs' and datname = current_database()`.execute(db);
  expect(rows.length).toBeGreaterThan(0);
  await untilListening(db);
  await addRefresh(0);
  await untilCalled(refresh, 3);
});

test("stop() aborts a running refresh, and takes a few seconds at most during a database outage", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const refresh: Refresh = async (signal) => {
    started.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { outcome: "interrupted", reason: "stopped" };
  };
  const queue = startQueue(refresh, relay.url);
  const signal = await started.promise;
  relay.cut();
  const began = performance.now();
  await queue.stop();
  expect(signal.aborted).toBe(true);
  expect(performance.now() - began).toBeLessThan(7_000);
});

test("survives the loss of its connection during a stop before it listens", async () => {
  const listens = Promise.withResolvers<never>();
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args) {
    return String(args[0]).startsWith("LISTEN") ? listens.promise : Reflect.apply(query, this, args);
  });
  onTestFinished(() => spy.mockRestore());
  const sent = (statement: string) => () =>
    spy.mock.calls.some(([text]) => String(text).startsWith(statement));
  const queue = startQueue(fakeRefresh());
  await vi.waitUntil(sent("LISTEN"), wait);
  const stopped = queue.stop();
  await vi.waitUntil(sent("UNLISTEN"), wait);
  listens.reject(new Error("Connection terminated unexpectedly"));
  // A second release of the client would be an unhandled rejection, which fails the whole run.
  await stopped;
});

test("a job that fails for the last time is logged, and does not block the next one", async () => {
  const outcomes = [new Error("as the test wants")];
  const run = vi.fn(async () => {
    const error = outcomes.pop();
    if (error) throw error;
  });
  queues.push(startJobs({ url: database.url, tasks: [{ name: "sweep", run }], log }));
  const jobs = async () => (await sql`select from graphile_worker.jobs`.execute(db)).rows;
  for (let job = 1; job <= 2; job++) {
    await addJob(db, "sweep", { maxAttempts: 1 });
    await vi.waitUntil(() => run.mock.calls.length === job, wait);
    await expect.poll(jobs, wait).toEqual([]);
  }
  expect(lines.filter(({ level }) => level >= 40)).toMatchObject([
    { msg: "A job has failed until its next time", job: "sweep", reason: "as the test wants" },
  ]);
});

testRows<[string, number]>(1, [
  ["a day", 2],
  ["three days", 6],
])(
  "during %s without the festival's API, shows stay listed, requests and log lines are bounded, /readyz has the last success, and the refresh succeeds afterwards",
  async (_, halfDays) => {
    const ATTEMPTS = 9;
    const { fake } = await startSmallFestival();
    onTestFinished(fake.close);
    const api = { ...fake, timeout: 1_000, retryDelay: 1 };
    startQueue((signal, unlessSucceededSince) =>
      refreshShows({ db, api, log, signal, unlessSucceededSince }),
    );
    const untilRuns = (count: number) =>
      vi.waitUntil(
        async () =>
          (await refreshRows(db)).filter(({ outcome }) => outcome).length === count || makeJobsDue(db),
        { timeout: 60_000, interval: 10 },
      );
    /** Lets time pass; then the queue adds its job. */
    async function passHalfDay(): Promise<void> {
      // Until a run has released its lock, the next one would be busy and lose an attempt.
      const locked = sql`select from graphile_worker.jobs where locked_at is not null`;
      await vi.waitUntil(async () => (await locked.execute(db)).rows.length === 0, wait);
      await givenEarlier(db, "refreshes", ["started_at", "finished_at"], { hours: 12 });
      await addRefresh(0);
    }
    await untilRuns(1);
    const parts = { catalogue: createCatalogue(), db, isStopping: () => false, log };
    const readiness = () => createReadiness(parts)();
    const before = await readiness();
    fake.faults.rules.push({ kind: "status", status: 503 });
    const requestsBefore = fake.requests.length;
    lines.length = 0;
    for (let runs = 1; runs <= halfDays; runs++) {
      await passHalfDay();
      await untilRuns(1 + runs * ATTEMPTS);
      // Each attempt requests the first page five times.
      expect(fake.requests.length - requestsBefore).toBe(runs * ATTEMPTS * 5);
    }
    expect(await listedIds(db)).toHaveLength(250);
    const logged = lines.filter(({ level }) => level >= 30);
    expect(logged.length / halfDays).toBeLessThanOrEqual(60);
    expect(JSON.stringify(logged)).not.toContain(fake.secret);
    const lastSuccess = Date.parse(before.last_success_at ?? "") - halfDays * 12 * 3_600_000;
    expect(await readiness()).toMatchObject({
      last_refresh: { outcome: "failed" },
      last_success_at: new Date(lastSuccess).toISOString(),
    });
    fake.faults.rules = [];
    await passHalfDay();
    await untilRuns(1 + halfDays * ATTEMPTS + 1);
    expect(await readiness()).toMatchObject({ last_refresh: { outcome: "succeeded" } });
  },
);

test("the built site refreshes at start, counts a gap, deletes old data, and can be stopped during a refresh", async () => {
  const { fake } = await startSmallFestival();
  fake.faults.rules = [{ kind: "total", claim: 251 }];
  const start = () => startSite({ DATABASE_URL: database.url, ...festivalSettings(fake) });
  const site = await start();
  await expect
    .poll(async () => (await (await site.api("/api/shows")).json()).total, { timeout: 20_000 })
    .toBe(250);
  // The refresh may be logged after the list has changed.
  await expect.poll(() => site.log.map((line) => JSON.parse(line).msg)).toContain("The shows were refreshed");
  expect((await readMetrics(site.origin)).get("front_row_refresh_gaps_total")).toBe(1);
  await givenSignIn(db, { id: "old", returned_at: ago({ minutes: 61 }) });
  await sql`insert into review_limits (key, points, expire) values ('60:old', 1, 0)`.execute(db);
  for (const task of ["clean-up-accounts", "clean-up-reviews"]) await addJob(db, task, { maxAttempts: 1 });
  const left = sql`select id from sign_ins union all select key from review_limits`;
  await vi.waitUntil(async () => (await left.execute(db)).rows.length === 0, wait);
  fake.faults.rules = [];
  await emptyTables(db);
  const hold = holdSecondPage(fake);
  expect(await site.stop()).toBe(0);
  const again = await start();
  await hold.reached();
  expect(await again.stop()).toBe(0);
  expect(await refreshRows(db)).toMatchObject([{ outcome: "interrupted" }]);
  await fake.close();
});
