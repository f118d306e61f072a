import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type InventedReviewer, inventReviewers } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createWriteLimits } from "../../src/reviews/api/write-limits.server.ts";
import { createTestDatabase } from "../support/postgres.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const noon = Date.parse("2025-08-01T12:00:00Z");

let database: Database;
let wren: InventedReviewer;
let pip: InventedReviewer;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: noon });
  await sql`truncate users, review_limits cascade`.execute(database.db);
  const people = await inventReviewers(database.db, "http://site.example", 2);
  [wren = expect.fail(), pip = expect.fail()] = people;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts a write of somebody's. */
function createLimits() {
  const countWrite = createWriteLimits(database.db);
  return ({ id }: InventedReviewer) => countWrite(id);
}

/** How many of the tries to write were not refused, and how long those that were have to wait, in s. */
async function outcomes(tries: Promise<unknown>[]) {
  const settled = await Promise.allSettled(tries);
  const refused = settled.filter((outcome) => outcome.status === "rejected");
  return { let: tries.length - refused.length, waits: new Set(refused.map(({ reason }) => reason.retryAfter)) };
}

/** The counts of a user by how long they last, in seconds. */
async function countsOf({ id }: InventedReviewer) {
  const { rows } = await sql<{ key: string; points: number }>`
    select key, points from review_limits where key like ${`%:${id}`} order by expire`.execute(database.db);
  return Object.fromEntries(rows.map(({ key, points }) => [key.split(":")[0], points]));
}

test("of writes that come at once, at two instances, as many are let as of those that come one after the other", async () => {
  const [here, there] = [createLimits(), createLimits()];
  const tries = Array.from({ length: 20 }, (_, index) => (index % 2 ? here : there)(wren));
  expect(await outcomes(tries)).toEqual({ let: 6, waits: new Set([60]) });
  expect(await countsOf(wren)).toEqual({ 60: 20, 3600: 6, 86400: 6 });
  expect(await outcomes([here(pip)])).toEqual({ let: 1, waits: new Set() });
});

test("each limit lets so many write, is told by the shortest that refuses, and ends when its time is over", async () => {
  const countWrite = createLimits();
  for (let minute = 0; minute < 5; minute++, vi.setSystemTime(noon + minute * MINUTE)) {
    for (let write = 0; write < 6; write++) await countWrite(wren);
  }
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 0, waits: new Set([55 * 60]) });
  expect(await countsOf(wren)).toEqual({ 60: 1, 3600: 31, 86400: 30 });
  vi.setSystemTime(noon + HOUR - 1);
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 0, waits: new Set([1]) });
  vi.setSystemTime(noon + HOUR);
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 1, waits: new Set() });
  expect(await countsOf(wren)).toEqual({ 60: 2, 3600: 1, 86400: 31 });
});

test("counts are removed when they have been over for an hour", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"], now: noon });
  const countWrite = createLimits();
  await countWrite(wren);
  vi.setSystemTime(noon + HOUR + MINUTE + 1);
  await countWrite(pip);
  vi.advanceTimersByTime(5 * MINUTE);
  await vi.waitUntil(async () => (await countsOf(wren))[60] === undefined);
  expect(await countsOf(wren)).toEqual({ 3600: 1, 86400: 1 });
  expect(await countsOf(pip)).toEqual({ 60: 1, 3600: 1, 86400: 1 });
});

test("a count that began when a clock was a day ahead begins anew", async () => {
  const countWrite = createLimits();
  vi.setSystemTime(noon + 24 * HOUR);
  for (let write = 0; write < 6; write++) await countWrite(wren);
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 0, waits: new Set([60]) });
  vi.setSystemTime(noon);
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 1, waits: new Set() });
  expect(await countsOf(wren)).toEqual({ 60: 1, 3600: 1, 86400: 1 });
});
