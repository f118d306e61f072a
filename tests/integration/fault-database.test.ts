import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import { strayRejection } from "../../src/server/stray-rejections.server.ts";
import { runAdmin } from "../support/admin.ts";
import { answerDuring, queryFaults, surviveOutage } from "../support/database-faults.ts";
import { startRelay } from "../support/database-relay.ts";
import {
  expectOnlyAcknowledgedStored,
  type FaultEnvironment,
  isAcknowledged,
  openFaultEnvironment,
  submitReview,
} from "../support/fault-environment.ts";
import { readMetrics } from "../support/metrics.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { startSite } from "../support/site.ts";
import { countLockWaiters } from "../support/stored.ts";

/** A test with its own site and database. The tests mostly wait, so that they run concurrently. */
const testFault = (
  name: string,
  run: (environment: FaultEnvironment) => Promise<unknown>,
  options: { tags?: "soak" } = {},
) =>
  test(name, options, async () => {
    const environment = await openFaultEnvironment(await createTestDatabase());
    await run(environment).finally(environment.close);
  });

describe.concurrent("when the database", () => {
  testFault("is unavailable, reads continue, writes and sign-ins fail, and all recovers", (environment) =>
    surviveOutage(environment, "cut", 2_000),
  );
  for (const [index, [name, fault]] of Object.entries(queryFaults).entries())
    testFault(
      `${name}, no request is answered with 500, and no promise is left without a handler`,
      (environment) => answerDuring(environment, fault),
      index > 0 ? { tags: "soak" } : {},
    );
  testFault("loses a server during a review, others can soon review that show", async (environment) => {
    const { site, relay, database, newReviewer } = environment;
    const otherSite = await environment.startSecondSite();
    const reviews = [await submitReview(otherSite, newReviewer())];
    // A review's transaction locks the tallies last.
    const lock = await database.db.startTransaction().execute();
    await sql`select from tallies for update`.execute(lock);
    const lostReview = submitReview(site, newReviewer());
    await vi.waitUntil(async () => (await countLockWaiters(database.db)) > 0, 20_000);
    relay.isolate();
    await lock.rollback().execute();
    const isolatedAt = performance.now();
    await vi.waitUntil(async () => {
      const review = await submitReview(otherSite, newReviewer());
      reviews.push(review);
      return isAcknowledged(review);
    }, 60_000);
    expect(performance.now() - isolatedAt).toBeLessThan(25_000);
    await expectOnlyAcknowledgedStored(database, [...reviews, await lostReview]);
    relay.cut(); // otherwise a stop would wait for queries without a response
  });
});

/** Each signal rejects a promise that nothing handles; the last one throws. */
const mistakes = `let next = 0;
process.on("SIGUSR2", () => void Promise.reject([new Error("stray"), "text", undefined][next++]));
process.on("SIGWINCH", () => { throw new Error("uncaught"); });`;

test("a stray rejection is logged with its stack and counted, and the server goes on; an exception ends it", async () => {
  const database = await createTestDatabase();
  const relay = await startRelay(database.url);
  const site = await startSite({
    DATABASE_URL: relay.url,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(mistakes)}`,
  });
  const strays = () =>
    site.log.filter((line) => line.includes(strayRejection)).map((line) => JSON.parse(line));
  const counted = async () => (await readMetrics(site.origin)).get("front_row_stray_rejections_total");
  const recorded = async () => {
    const { out } = await runAdmin(database, ["status", "--json"], { DATABASE_URL: database.url });
    return JSON.parse(out).stray_rejections_last_24_hours;
  };
  expect([await counted(), await recorded()]).toEqual([0, 0]);
  relay.cut();
  for (let count = 1; count <= 3; count++) {
    site.process.kill("SIGUSR2");
    await expect.poll(() => strays().length).toBe(count);
    expect((await fetch(site.origin)).status).toBe(200);
  }
  expect(strays().map(({ level, err }) => [level, err?.type, err?.stack?.includes("at ")])).toEqual([
    [50, "Error", true],
    [50, "string", undefined],
    [50, undefined, undefined],
  ]);
  expect(await counted()).toBe(3);
  relay.restore();
  await expect.poll(recorded, { timeout: 30_000 }).toBe(3);
  site.process.kill("SIGWINCH");
  await expect.poll(() => site.process.exitCode, { timeout: 30_000 }).toBe(1);
  await relay.close();
  await database.close();
});
