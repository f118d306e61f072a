import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import {
  expectOnlyAcknowledgedStored,
  type FaultEnvironment,
  isAcknowledged,
  openFaultEnvironment,
  submitReview,
} from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { countLockWaiters } from "../support/stored.ts";
import { surviveOutage } from "../support/survive-outage.ts";
import { writeDuringLatency, writeDuringTableLock } from "../support/write-to-slow-database.ts";

/** Runs a test on a site and database of its own. The tests mostly wait, so they run concurrently. */
function withFaultEnvironment(run: (environment: FaultEnvironment) => Promise<unknown>): () => Promise<void> {
  return async () => {
    const environment = await openFaultEnvironment(await createTestDatabase());
    await run(environment).finally(environment.close);
  };
}

/** Locks all tallies, which a review's transaction locks last. Returns how to release them. */
async function lockTallies(database: Database): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`select from tallies for update`.execute(trx);
  return () => trx.rollback().execute();
}

describe.concurrent("when the database", () => {
  test(
    "goes away, reads continue, writes and sign-ins fail with 503 or an error, and all recovers afterwards",
    withFaultEnvironment((environment) => surviveOutage(environment, "cut", 2_000)),
  );

  test(
    "is slow, reads stay fast, and reviews are stored or refused in time, never later",
    withFaultEnvironment((environment) => writeDuringLatency(environment, 900)),
  );

  test(
    "blocks all connections, reads continue, writes are refused in time and never stored, and it recovers at once",
    withFaultEnvironment((environment) => writeDuringTableLock(environment, "review_limits")),
  );

  test(
    "loses a server in the middle of a review, others can review that show within seconds",
    withFaultEnvironment(async ({ site, relay, database, newReviewer, startSecondSite }) => {
      const otherSite = await startSecondSite();
      const firstReview = await submitReview(otherSite, newReviewer());
      const releaseLock = await lockTallies(database);
      const lostReview = submitReview(site, newReviewer());
      await vi.waitUntil(async () => (await countLockWaiters(database.db)) > 0, 20_000);
      relay.isolate();
      await releaseLock();
      const isolatedAt = performance.now();
      const reviews = [firstReview];
      await vi.waitUntil(
        async () =>
          isAcknowledged(
            reviews[reviews.push(await submitReview(otherSite, newReviewer())) - 1] ?? expect.fail(),
          ),
        60_000,
      );
      expect(performance.now() - isolatedAt).toBeLessThan(25_000);
      await expectOnlyAcknowledgedStored(database, [...reviews, await lostReview]);
      relay.cut(); // a stop would wait for what no answer comes to
    }),
  );
});
