import pg from "pg";
import { expect, onTestFinished, vi } from "vitest";
import { inventReviewers, liftLimits, sendReview } from "../../dev/harness/reviewers.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { openTestSite } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

/** Connections besides `DATABASE_POOL_SIZE` (docs/operations.md). */
const OTHERS = 4;

testRows<[number]>(1, [[1], [2]])("DATABASE_POOL_SIZE=%d means four connections more", async (size) => {
  const database = await createTestDatabase();
  onTestFinished(database.close);
  const shows = await givenShows(database.db, 20);
  await givenRefresh(database.db);
  await liftLimits(database.db);
  const origin = "http://front-row.example";
  const reviewers = await inventReviewers(database.db, origin, 10);
  // All later connections except this one are the site's.
  const counting = new pg.Client(database.url);
  await counting.connect();
  onTestFinished(() => counting.end());
  const select = `select query from pg_stat_activity where datname = current_database()
    and backend_type = 'client backend'
    and backend_start > (select backend_start from pg_stat_activity where pid = pg_backend_pid())`;
  const queries = async () =>
    (await counting.query<{ query: string }>(select)).rows.map(({ query }) => query);
  const settings = { DATABASE_URL: database.url, DATABASE_POOL_SIZE: String(size), ORIGIN: origin };
  const site = await openTestSite(settings);
  const isScheduleListening = async () => (await queries()).some((query) => /^listen/i.test(query.trim()));
  await vi.waitUntil(isScheduleListening, { timeout: 30_000, interval: 50 });
  const counts: number[] = [(await queries()).length];
  let isWriting = true;
  const statuses = new Set<number>();
  const writes = reviewers.map(async (reviewer) => {
    for (const show_id of shows.slice(0, 10)) {
      const review = { show_id, audience_interaction: "yes" };
      statuses.add((await sendReview(site.origin, reviewer, review)).status);
    }
  });
  const written = Promise.all(writes).finally(() => (isWriting = false));
  while (isWriting) counts.push((await queries()).length);
  await written;
  // No request waits for a connection that it holds itself.
  expect([...statuses]).toEqual([200]);
  expect(counts.length).toBeGreaterThan(3);
  expect(Math.max(...counts)).toBeLessThanOrEqual(size + OTHERS);
  expect(Math.max(...counts)).toBeGreaterThan(size);
});
