import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type JobQueue, startJobs } from "../../src/jobs/job-queue.server.ts";
import { refreshTask } from "../../src/refresh/refresh-task.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { createReadiness } from "../../src/server/readiness.server.ts";
import { ageRefreshes, makeJobsDue } from "../support/job-queue.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { listedIds, recordingLog, refreshRows, startSmallFestival } from "../support/refreshes.ts";

/** Per scheduled refresh: attempts of the job, and requests for the first page in all attempts. */
const ATTEMPTS = 9;
const REQUESTS = ATTEMPTS * 5;
const HALF_DAYS = 6;
const waitOptions = { timeout: 60_000, interval: 10 };

let database: Database;
let fakeApi: FakeFestivalApi;
let queue: JobQueue;
const { log, lines } = recordingLog();

beforeAll(async () => {
  database = await createTestDatabase();
  ({ fake: fakeApi } = await startSmallFestival());
  const { url, key, secret } = fakeApi;
  const api = { url, key, secret, timeout: 1_000, retryDelay: 1 };
  const refresh = (signal: AbortSignal, unlessSucceededSince: string) =>
    refreshShows({ db: database.db, api, log, signal, unlessSucceededSince });
  queue = startJobs({ url: database.url, tasks: [refreshTask(refresh, log)], log });
  await vi.waitUntil(async () => (await listedIds(database.db)).length === 250, waitOptions);
});
afterAll(async () => {
  await queue.stop();
  await fakeApi.close();
  await database.close();
});

/** Waits until `count` runs have ended in total. Retries are moved forward to run at once. */
async function waitForRuns(count: number): Promise<void> {
  const endedCount = async () =>
    (await refreshRows(database.db)).filter(({ outcome }) => outcome !== null).length;
  await vi.waitUntil(async () => (await endedCount()) === count || makeJobsDue(database.db), waitOptions);
}

/** Simulates that half a day passes, and adds the job that the queue would add then. */
async function passHalfDay(): Promise<void> {
  await ageRefreshes(database.db, 12);
  const payload = JSON.stringify({ _cron: { ts: new Date().toISOString() } });
  await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json, max_attempts => 9, job_key => 'refresh-shows')`.execute(
    database.db,
  );
}

test("during three days without the festival's API, shows stay listed, requests and log lines are bounded, /readyz has the last success, and the refresh succeeds afterwards", async () => {
  let seconds = 0;
  const readiness = createReadiness({
    catalogue: createCatalogue(),
    db: database.db,
    isStopping: () => false,
    log,
    now: () => 1_000 * seconds++,
  });
  const before = await readiness();
  fakeApi.faults.rules.push({ kind: "status", status: 503 });
  const requestsBefore = fakeApi.requests.length;
  const lineCountBefore = lines.length;
  for (let runs = 1; runs <= HALF_DAYS; runs++) {
    await passHalfDay();
    await waitForRuns(1 + runs * ATTEMPTS);
    expect(fakeApi.requests.length - requestsBefore).toBe(runs * REQUESTS);
  }
  expect(await listedIds(database.db)).toHaveLength(250);
  const logLines = lines.slice(lineCountBefore).filter(({ level }) => level >= 30);
  expect(logLines.length / HALF_DAYS).toBeLessThanOrEqual(60);
  expect(JSON.stringify(logLines)).not.toContain(fakeApi.secret);
  const lastSuccess = Date.parse(before.last_success_at ?? "") - HALF_DAYS * 12 * 3_600_000;
  expect(await readiness()).toMatchObject({
    last_refresh: { outcome: "failed" },
    last_success_at: new Date(lastSuccess).toISOString(),
  });

  fakeApi.faults.rules = [];
  await passHalfDay();
  await waitForRuns(1 + HALF_DAYS * ATTEMPTS + 1);
  expect(await readiness()).toMatchObject({ last_refresh: { outcome: "succeeded" } });
});
