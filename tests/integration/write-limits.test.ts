import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type InventedReviewer, inventReviewers } from "../../dev/harness/reviewers.ts";
import { deleteUser } from "../../src/accounts/end-account.server.ts";
import { countWrite } from "../../src/reviews/api/write-limits.server.ts";
import { deleteExpiredCounts } from "../../src/reviews/store/review-limits-table.server.ts";
import { givenChanged, givenIdentity, givenNoCounts, givenNone, setCountedWrites } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { countedWrites } from "../support/stored.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const noon = Date.parse("2025-08-01T12:00:00Z");
const database = await setUpDatabase();
const { db } = database;
let wren: InventedReviewer;
let pip: InventedReviewer;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: noon });
  await givenNone(db, "users", "review_limits");
  const reviewers = await inventReviewers(db, "http://site.example", 2);
  [wren = expect.fail(), pip = expect.fail()] = reviewers;
  await setAge(24 * HOUR);
});
afterEach(() => void vi.useRealTimers());
const count = ({ id }: InventedReviewer) => countWrite(db, id);

const setAge = (age: number) =>
  givenChanged(db, "users", { created_at: new Date(vi.getRealSystemTime() - age) });

/** The number of allowed writes, and the distinct values of Retry-After of the others, in s. */
async function outcomes(writes: Promise<unknown>[]) {
  const settled = await Promise.allSettled(writes);
  const refused = settled.filter((outcome) => outcome.status === "rejected");
  return {
    allowed: writes.length - refused.length,
    waits: new Set(refused.map(({ reason }) => reason.retryAfter)),
  };
}

const countsOf = ({ id }: InventedReviewer) => countedWrites(db, id);

test("allows as many concurrent writes as consecutive ones", async () => {
  const writes = Array.from({ length: 20 }, () => count(wren));
  expect(await outcomes(writes)).toEqual({ allowed: 6, waits: new Set([60]) });
  expect(await countsOf(wren)).toEqual({ 60: 6, 3600: 6, 86400: 6 });
  expect(await outcomes([count(pip)])).toEqual({ allowed: 1, waits: new Set() });
});

test("refuses by the shortest exceeded limit, with its Retry-After, until its window ends, despite retries", async () => {
  for (let minute = 0; minute < 5; minute++) {
    vi.setSystemTime(noon + minute * MINUTE);
    for (let write = 0; write < 6; write++) await count(wren);
  }
  expect(await outcomes([count(wren), count(wren)])).toEqual({ allowed: 0, waits: new Set([56 * 60]) });
  vi.setSystemTime(noon + 5 * MINUTE);
  expect(await outcomes([count(wren)])).toEqual({ allowed: 0, waits: new Set([55 * 60]) });
  expect(await countsOf(wren)).toEqual({ 60: 0, 3600: 30, 86400: 30 });
  for (const left of [50 * MINUTE, 30_000, 10_000, 1]) {
    vi.setSystemTime(noon + HOUR - left);
    const told = new Set([Math.ceil(left / 1000)]);
    for (let press = 0; press < 9; press++)
      expect(await outcomes([count(wren)])).toEqual({ allowed: 0, waits: told });
  }
  vi.setSystemTime(noon + HOUR);
  expect(await outcomes(Array.from({ length: 6 }, () => count(wren)))).toMatchObject({ allowed: 6 });
  expect(await countsOf(wren)).toEqual({ 60: 6, 3600: 6, 86400: 36 });
});

test("counts writes from before an account was deleted, also for a user who has written since", async () => {
  const [subject, again] = ["who returns", "who returns elsewhere"];
  await givenIdentity(db, { user_id: wren.id, subject });
  await givenIdentity(db, { user_id: wren.id, subject: again, provider: "github" });
  vi.setSystemTime(vi.getRealSystemTime() - 2 * MINUTE);
  for (let write = 0; write < 4; write++) await count(wren);
  vi.useRealTimers();
  await setCountedWrites(db, wren.id, 3_600, 28);
  for (let write = 0; write < 2; write++) await count(pip);
  await deleteUser(db, wren.id);
  expect(await countsOf(wren)).toEqual({});
  await givenIdentity(db, { user_id: pip.id, subject });
  await givenIdentity(db, { user_id: pip.id, subject: again, provider: "github" });
  expect(await countsOf(pip)).toEqual({ 60: 2, 3600: 30, 86400: 6 });
  expect(await outcomes([count(pip)])).toMatchObject({ allowed: 0 });
});

test("deletes counts an hour after their window ended", async () => {
  const now = vi.getRealSystemTime();
  vi.setSystemTime(now - HOUR - 2 * MINUTE);
  await count(wren);
  vi.setSystemTime(now);
  await count(pip);
  await deleteExpiredCounts(db);
  expect(await countsOf(wren)).toEqual({ 3600: 1, 86400: 1 });
  expect(await countsOf(pip)).toEqual({ 60: 1, 3600: 1, 86400: 1 });
});

/** Deletes the counts of the minute and the hour before each write: only the day's limit is reached. */
async function write(count: number, kind?: "review" | "deletion"): Promise<void> {
  for (let written = 0; written < count; written++) {
    await givenNoCounts(db, [60, 3_600]);
    await countWrite(db, wren.id, kind);
  }
}

const refusedFor = (seconds: number, precision = -2) =>
  expect(write(1)).rejects.toMatchObject({
    ...{ status: 429, code: "rate_limited" },
    retryAfter: expect.closeTo(seconds, precision),
  });

test("an account's first day allows twenty reviews, uses up no other limit, and ends by the database's clock", async () => {
  vi.setSystemTime(noon + 40 * HOUR);
  await setAge(20 * HOUR);
  await write(20);
  for (let press = 0; press < 40; press++)
    await expect(count(wren)).rejects.toMatchObject({ retryAfter: expect.closeTo(4 * 3_600, -2) });
  expect(await countsOf(wren)).toMatchObject({ 60: 1, 3600: 1, 86400: 20 });
  await setAge(24 * HOUR - 20_000);
  await refusedFor(17, -1);
  await setAge(24 * HOUR);
  await write(80);
  await refusedFor(24 * 3_600);
});

test("deletions count on an account's first day, but only shorter limits refuse them", async () => {
  await setAge(HOUR);
  await write(10);
  await write(15, "deletion");
  await refusedFor(23 * 3_600);
  await write(1, "deletion");
  await setCountedWrites(db, wren.id, 60, 6);
  await expect(count(wren)).rejects.toMatchObject({ retryAfter: expect.closeTo(23 * 3_600, -2) });
  await expect(countWrite(db, wren.id, "deletion")).rejects.toMatchObject({ retryAfter: 60 });
});
