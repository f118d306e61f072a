import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { selectSignedIn } from "../../src/auth/sessions.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createWriteLimits } from "../../src/reviews/write-limits.server.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type InventedReviewer, inventReviewers } from "../support/reviewers.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const noon = Date.parse("2025-08-01T12:00:00Z");

let database: Database;
let now: number;
let wren: InventedReviewer;
let pip: InventedReviewer;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  now = noon;
  await sql`truncate users, review_limits cascade`.execute(database.db);
  const people = await inventReviewers(database.db, "http://site.example", 2);
  [wren = expect.fail(), pip = expect.fail()] = people;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Counts a write of somebody's. */
function createLimits() {
  const countWrite = createWriteLimits({ pool: database.pool, selectSignedIn, now: () => now });
  return ({ id, sessionId }: InventedReviewer) => countWrite({ userId: id, sessionId });
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
  for (let minute = 0; minute < 5; minute++, now += MINUTE) {
    for (let write = 0; write < 6; write++) await countWrite(wren);
  }
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 0, waits: new Set([55 * 60]) });
  expect(await countsOf(wren)).toEqual({ 60: 1, 3600: 31, 86400: 30 });
  now = noon + HOUR - 1;
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 0, waits: new Set([1]) });
  now = noon + HOUR;
  expect(await outcomes([countWrite(wren)])).toEqual({ let: 1, waits: new Set() });
  expect(await countsOf(wren)).toEqual({ 60: 2, 3600: 1, 86400: 31 });
});

test("counts are removed when they have been over for an hour", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const countWrite = createLimits();
  await countWrite(wren);
  now += HOUR + MINUTE + 1;
  await countWrite(pip);
  vi.advanceTimersByTime(5 * MINUTE);
  await vi.waitUntil(async () => (await countsOf(wren))[60] === undefined);
  expect(await countsOf(wren)).toEqual({ 3600: 1, 86400: 1 });
  expect(await countsOf(pip)).toEqual({ 60: 1, 3600: 1, 86400: 1 });
});

test("of a session that is over, or another's, nothing is counted", async () => {
  const countWrite = createLimits();
  expect(await countWrite({ ...wren, sessionId: pip.sessionId })).toBeNull();
  await sql`delete from sessions where user_id = ${wren.id}`.execute(database.db);
  expect(await countWrite(wren)).toBeNull();
  expect(await countsOf(wren)).toEqual({});
  expect(await countWrite(pip)).toEqual({ id: pip.id, sessionId: pip.sessionId, email: expect.any(String) });
});
