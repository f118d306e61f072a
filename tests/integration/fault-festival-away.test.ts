import { sql } from "kysely";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { type Schedule, startSchedule } from "../../src/refresh/schedule/cron.server.ts";
import { createReadiness } from "../../src/server/readiness.server.ts";
import { ageRefreshes, makeJobsDue } from "../support/job-queue.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { listedIds, recordingLog, refreshRows, startSmallFestival } from "../support/refreshes.ts";

/** Of one time of the timetable: tries of a refresh, and of the first page in each. */
const TRIES = 9;
const REQUESTS = TRIES * 5;
const HALF_DAYS = 6;
const wait = { timeout: 60_000, interval: 10 };

let database: Database;
let fake: FakeFestivalApi;
let schedule: Schedule;
const { log, lines } = recordingLog();

beforeAll(async () => {
  database = await createTestDatabase();
  ({ fake } = await startSmallFestival());
  const { url, key, secret } = fake;
  const api = { url, key, secret, timeout: 1_000, retryDelay: 1 };
  const refresh = (signal: AbortSignal, unlessSucceededSince: string) =>
    refreshShows({ db: database.db, api, log, signal, unlessSucceededSince });
  schedule = startSchedule({ url: database.url, refresh, log });
  await vi.waitUntil(async () => (await listedIds(database.db)).length === 250, wait);
});
afterAll(async () => {
  await schedule.stop();
  await fake.close();
  await database.close();
});

/** Waits until so many refreshes have ended in all, without waiting for the times of their tries. */
async function untilEnded(refreshes: number): Promise<void> {
  const ended = async () => (await refreshRows(database.db)).filter(({ outcome }) => outcome !== null).length;
  await vi.waitUntil(async () => (await ended()) === refreshes || makeJobsDue(database.db), wait);
}

/** Lets half a day go by, at the end of which the timetable has its say. */
async function halfADay(): Promise<void> {
  await ageRefreshes(database.db, 12);
  const payload = JSON.stringify({ _cron: { ts: new Date().toISOString() } });
  await sql`select graphile_worker.add_job('refresh-shows', ${payload}::json, max_attempts => 9, job_key => 'refresh-shows')`.execute(
    database.db,
  );
}

test("for three days the festival's API is away: the list stays, it is asked no more than is said, the log stays short, /readyz tells the last success, and the shows come when it is back", async () => {
  let seconds = 0;
  const readiness = createReadiness({
    catalogue: createCatalogue(),
    db: database.db,
    isStopping: () => false,
    now: () => 1_000 * seconds++,
  });
  const before = await readiness();
  fake.faults.rules.push({ kind: "status", status: 503 });
  const asked = fake.requests.length;
  const logged = lines.length;
  for (let times = 1; times <= HALF_DAYS; times++) {
    await halfADay();
    await untilEnded(1 + times * TRIES);
    expect(fake.requests.length - asked).toBe(times * REQUESTS);
  }
  expect(await listedIds(database.db)).toHaveLength(250);
  const said = lines.slice(logged).filter(({ level }) => level >= 30);
  expect(said.length / HALF_DAYS).toBeLessThanOrEqual(60);
  expect(JSON.stringify(said)).not.toContain(fake.secret);
  const last = Date.parse(before.last_success_at ?? "") - HALF_DAYS * 12 * 3_600_000;
  expect(await readiness()).toMatchObject({
    last_refresh: { outcome: "failed" },
    last_success_at: new Date(last).toISOString(),
  });

  fake.faults.rules = [];
  await halfADay();
  await untilEnded(1 + HALF_DAYS * TRIES + 1);
  expect(await readiness()).toMatchObject({ last_refresh: { outcome: "succeeded" } });
});
