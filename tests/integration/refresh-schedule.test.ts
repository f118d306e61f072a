import { sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { type RefreshOutcome, refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { findMissed, findOverdue } from "../../src/refresh/runs-table.server.ts";
import { type Schedule, type ScheduleOptions, startSchedule } from "../../src/refresh/schedule/cron.server.ts";
import { age, hurry, jobs } from "../support/job-queue.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { emptyTables, holdSecondPage, recordingLog, refreshRows, startSmallFestival } from "../support/refreshes.ts";
import { startRelay } from "../support/relay.ts";
import { startSite } from "../support/site.ts";

let database: Database;
let schedules: Schedule[];
const { log, lines } = recordingLog();

beforeEach(async () => {
  database = await createTestDatabase();
  schedules = [];
});
afterEach(async () => {
  await Promise.all(schedules.map((schedule) => schedule.stop()));
  await database.close();
});

const wait = { timeout: 20_000, interval: 20 };

/** A schedule on the test's database that ends with the test. */
function schedule(refresh: ScheduleOptions["refresh"], url = database.url): Schedule {
  const started = startSchedule({ url, refresh, log });
  schedules.push(started);
  return started;
}

/** A refresh that does as it is told, call by call, and records it as a real one would. */
function pretendedRefresh(...outcomes: RefreshOutcome["outcome"][]) {
  return vi.fn<ScheduleOptions["refresh"]>(async () => {
    const outcome = outcomes.shift() ?? "succeeded";
    if (outcome === "busy" || outcome === "current") return { outcome };
    await recordRefresh({ outcome, hoursAgo: 0 });
    return outcome === "succeeded"
      ? { outcome, listed: 1, added: 1, changed: 0, removed: 0, returned: 0, skipped: 0 }
      : { outcome, reason: "as it was told" };
  });
}

interface Recorded {
  outcome: "succeeded" | "failed" | "refused" | "interrupted" | null;
  hoursAgo: number;
}

async function recordRefresh({ outcome, hoursAgo }: Recorded): Promise<void> {
  const at = sql<Date>`now() - make_interval(secs => ${hoursAgo * 3600})`;
  const finished = outcome === null ? null : at;
  await database.db.insertInto("refreshes").values({ started_at: at, finished_at: finished, outcome }).execute();
}

const noJobs = () => vi.waitUntil(async () => (await jobs(database.db)).length === 0, wait);

const ours = sql`from pg_stat_activity where application_name = 'front-row-schedule' and datname = current_database()`;

/** Waits until a started schedule knows its timetable and hears of new jobs. */
async function untilRunning(): Promise<void> {
  const tables = sql<{
    ready: boolean;
  }>`select to_regclass('graphile_worker._private_known_crontabs') is not null as ready`;
  await vi.waitUntil(async () => (await tables.execute(database.db)).rows[0]?.ready, wait);
  const timetable = sql`select from graphile_worker._private_known_crontabs`;
  await vi.waitUntil(async () => (await timetable.execute(database.db)).rows.length > 0, wait);
  const listening = sql`select ${ours} and query ilike 'listen%' and state = 'idle'`;
  await vi.waitUntil(async () => (await listening.execute(database.db)).rows.length > 0, wait);
}

/** Adds a job as the timetable does, for a refresh since some hours ago. */
async function addJob(hoursAgo: number): Promise<void> {
  const payload = JSON.stringify({ _cron: { ts: new Date(Date.now() - hoursAgo * 3_600_000).toISOString() } });
  await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json)`.execute(database.db);
}

test.each<[string, Recorded[]]>([
  ["there was none yet", []],
  ["the last success is older than 12 hours", [{ outcome: "succeeded", hoursAgo: 12.1 }]],
  [
    "the last run broke off",
    [
      { outcome: "succeeded", hoursAgo: 5 },
      { outcome: null, hoursAgo: 1 },
    ],
  ],
  [
    "the last run failed",
    [
      { outcome: "succeeded", hoursAgo: 5 },
      { outcome: "failed", hoursAgo: 1 },
    ],
  ],
])("at start the shows are refreshed when %s", async (_, recorded) => {
  for (const one of recorded) await recordRefresh(one);
  const refresh = pretendedRefresh();
  schedule(refresh);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  await noJobs();
  expect(await findOverdue(database.db, 12)).toBeNull();
});

test.each<[string, Recorded[]]>([
  ["the last success is younger than 12 hours", [{ outcome: "succeeded", hoursAgo: 11.9 }]],
  [
    "a success made up for a failure",
    [
      { outcome: "failed", hoursAgo: 2 },
      { outcome: "succeeded", hoursAgo: 1 },
    ],
  ],
  [
    "the last run was refused",
    [
      { outcome: "succeeded", hoursAgo: 5 },
      { outcome: "refused", hoursAgo: 1 },
    ],
  ],
])("at start nothing is refreshed when %s", async (_, recorded) => {
  for (const one of recorded) await recordRefresh(one);
  const refresh = pretendedRefresh();
  const started = schedule(refresh);
  await untilRunning();
  await started.stop();
  expect(await jobs(database.db)).toEqual([]);
  expect(refresh).not.toHaveBeenCalled();
});

test("several instances that start together refresh once", async () => {
  const { fake } = await startSmallFestival();
  const refresh: ScheduleOptions["refresh"] = (signal, unlessSucceededSince) =>
    refreshShows({ db: database.db, api: fake, log, signal, unlessSucceededSince });
  const refreshing = [vi.fn(refresh), vi.fn(refresh), vi.fn(refresh)];
  for (const one of refreshing) schedule(one);
  await vi.waitUntil(async () => (await refreshRows(database.db)).some(({ outcome }) => outcome === "succeeded"), wait);
  await untilRunning();
  await Promise.all(schedules.map((one) => one.stop()));
  const whatIsLeft = pretendedRefresh();
  schedule(whatIsLeft);
  await untilRunning();
  await vi.waitUntil(async () => (await jobs(database.db)).length === 0 || hurry(database.db), wait);
  expect(whatIsLeft).not.toHaveBeenCalled();
  expect(await refreshRows(database.db)).toHaveLength(1);
  await fake.close();
});

test("a time that passed while nothing was running is made up for at start, if no refresh came after it", async () => {
  const passed = (Date.now() / 3_600_000) % 12;
  const known = async (identifier: string) => {
    await untilRunning();
    await schedules.at(-1)?.stop();
    await sql`update graphile_worker._private_known_crontabs set last_execution = now() - interval '13 hours'
      where identifier = ${identifier}`.execute(database.db);
  };
  await recordRefresh({ outcome: "succeeded", hoursAgo: passed + 0.1 });
  schedule(pretendedRefresh());
  await known("refresh-shows");
  const missed = pretendedRefresh();
  schedule(missed);
  await vi.waitUntil(() => missed.mock.calls.length === 1 || hurry(database.db), wait);
  await noJobs();
  await known("refresh-shows");
  const nothingMissed = pretendedRefresh();
  schedule(nothingMissed);
  await untilRunning();
  await vi.waitUntil(async () => (await jobs(database.db)).length === 0 || hurry(database.db), wait);
  expect(nothingMissed).not.toHaveBeenCalled();
});

test("a refresh that a clock far ahead has put off is made, by the database's clock, and none that is not due", async () => {
  await recordRefresh({ outcome: "succeeded", hoursAgo: 0.2 });
  const refresh = pretendedRefresh();
  schedules.push(startSchedule({ url: database.url, refresh, log, checkInterval: 50 }));
  await untilRunning();
  await sql`update graphile_worker._private_known_crontabs set last_execution = now() + interval '1 year'`.execute(
    database.db,
  );
  const payload = JSON.stringify({ _cron: { ts: new Date(Date.now() + 365 * 24 * 3_600_000).toISOString() } });
  await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json,
    run_at => now() + interval '1 year', job_key => 'refresh-shows')`.execute(database.db);
  await age(database.db, 12.5);
  expect(await findMissed(database.db, 13)).toBeNull();
  expect(refresh).not.toHaveBeenCalled();
  await age(database.db, 1);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  await noJobs();
});

test("a job for which a refresh came meanwhile does nothing", async () => {
  await recordRefresh({ outcome: "succeeded", hoursAgo: 1 });
  const refresh = pretendedRefresh();
  schedule(refresh);
  await untilRunning();
  await addJob(2);
  await noJobs();
  expect(refresh).not.toHaveBeenCalled();
  await addJob(0.5);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
});

test.each(["failed", "busy", "interrupted"] as const)(
  "a refresh that ended as %s is tried again later",
  async (outcome) => {
    const refresh = pretendedRefresh(outcome);
    schedule(refresh);
    await vi.waitUntil(
      async () => refresh.mock.calls.length === 1 && (await jobs(database.db))[0]?.attempts === 1,
      wait,
    );
    await vi.waitUntil(() => refresh.mock.calls.length === 2 || hurry(database.db), wait);
    await noJobs();
  },
);

test("a refused refresh waits for its next time", async () => {
  const refresh = pretendedRefresh("refused");
  schedule(refresh);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  await noJobs();
});

test("what a killed instance had begun does not keep the next one waiting", async () => {
  await recordRefresh({ outcome: "succeeded", hoursAgo: 11.5 });
  schedule(pretendedRefresh());
  await untilRunning();
  await schedules[0]?.stop();
  await sql`select graphile_worker.add_job('refresh-shows', '{}', job_key => 'refresh-shows')`.execute(database.db);
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed'`.execute(database.db);
  await recordRefresh({ outcome: null, hoursAgo: 0.01 });
  const refresh = pretendedRefresh();
  schedule(refresh);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
});

test("it goes on when its connections are ended", async () => {
  const refresh = pretendedRefresh();
  schedule(refresh);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  await noJobs();
  await untilRunning();
  const { rows } = await sql`select pg_terminate_backend(pid, 5000) ${ours}`.execute(database.db);
  expect(rows.length).toBeGreaterThan(0);
  await untilRunning();
  await addJob(0);
  await vi.waitUntil(() => refresh.mock.calls.length === 2, wait);
});

test("it starts while the database is away, and refreshes when it is there", async () => {
  const proxy = await startRelay(database.url);
  proxy.cut();
  const refresh = pretendedRefresh();
  schedule(refresh, proxy.url);
  proxy.restore();
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  await schedules[0]?.stop();
  await proxy.close();
});

test("it goes on when the database goes away in the middle of a refresh and comes back", async () => {
  const proxy = await startRelay(database.url);
  const refresh = vi.fn<ScheduleOptions["refresh"]>(async () => {
    if (refresh.mock.calls.length === 1) proxy.cut();
    else await recordRefresh({ outcome: "succeeded", hoursAgo: 0 });
    return { outcome: "failed", reason: "the database is away" };
  });
  const logged = lines.length; // what other tests' schedules have lost is not what is waited for
  schedule(refresh, proxy.url);
  await vi.waitUntil(() => lines.slice(logged).some(({ msg }) => msg.startsWith("Failed to fail jobs")), wait);
  proxy.restore();
  await vi.waitUntil(() => refresh.mock.calls.length === 2, wait);
  await schedules[0]?.stop();
  await proxy.close();
});

test("stopping ends a running refresh at once", async () => {
  const told = Promise.withResolvers<AbortSignal>();
  const started = schedule(async (signal) => {
    told.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { outcome: "interrupted", reason: "stopped" };
  });
  const signal = await told.promise;
  const began = performance.now();
  await started.stop();
  expect(signal.aborted).toBe(true);
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("stopping takes seconds at most while the database is away", async () => {
  const proxy = await startRelay(database.url);
  const refresh = pretendedRefresh();
  const started = schedule(refresh, proxy.url);
  await vi.waitUntil(() => refresh.mock.calls.length === 1, wait);
  proxy.cut();
  const began = performance.now();
  await started.stop();
  expect(performance.now() - began).toBeLessThan(7_000);
  await proxy.close();
});

test("the built site refreshes at its start, and ends while it does", async () => {
  const { fake } = await startSmallFestival();
  const start = () =>
    startSite({
      DATABASE_URL: database.url,
      FESTIVAL_API_URL: fake.url,
      FESTIVAL_API_KEY: fake.key,
      FESTIVAL_API_SECRET: fake.secret,
    });
  const site = await start();
  await expect.poll(async () => (await (await site.api("/api/shows")).json()).total, { timeout: 20_000 }).toBe(250);
  // The list may be there before the refresh's last word.
  await expect.poll(() => site.log.map((line) => JSON.parse(line).msg)).toContain("The shows were refreshed");
  await emptyTables(database.db);
  const held = holdSecondPage(fake);
  expect(await site.end()).toBe(0);
  const again = await start();
  await held.reached();
  expect(await again.end()).toBe(0);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }]);
  await fake.close();
});
