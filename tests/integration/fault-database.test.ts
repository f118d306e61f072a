import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import {
  expectOnlyAcknowledgedStored,
  type FaultEnvironment,
  isAcknowledged,
  startFaultEnvironment,
  submitReview,
} from "../support/fault-environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { surviveOutage } from "../support/survive-outage.ts";
import { writeDuringLatency, writeDuringTableLock } from "../support/write-to-slow-database.ts";

/** Runs a test in a world of its own: each waits most of the time, all of them at once. */
function inAWorld(run: (environment: FaultEnvironment) => Promise<unknown>): () => Promise<void> {
  return async () => {
    const environment = await startFaultEnvironment(await createTestDatabase());
    await run(environment).finally(environment.close);
  };
}

/** Holds every show's tallies, which are the last that a review waits for. */
async function holdTallies(database: Database): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`select from tallies for update`.execute(trx);
  return () => trx.rollback().execute();
}

/** Waits until a review waits for them. */
async function untilWaiting(database: Database): Promise<void> {
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await vi.waitUntil(async () => (await waiting.execute(database.db)).rows.length > 0, 20_000);
}

describe.concurrent("when the database", () => {
  test(
    "goes away, reading goes on, writing and signing in are told to come again, and all is well when it is back",
    inAWorld((environment) => surviveOutage(environment, "cut", 2_000)),
  );

  test(
    "answers late, reading does not notice, and reviews are written or refused in time, and never later",
    inAWorld((environment) => writeDuringLatency(environment, 900)),
  );

  test(
    "keeps all connections waiting, reading goes on, writes are refused in time, and never later; it recovers at once",
    inAWorld((environment) => writeDuringTableLock(environment, "review_limits")),
  );

  test(
    "hears nothing any more of a server in the middle of a review, others can review that show within seconds",
    inAWorld(async ({ site, relay, database, newReviewer, startSecondSite }) => {
      const other = await startSecondSite();
      const before = await submitReview(other, newReviewer());
      const letGo = await holdTallies(database);
      const lost = submitReview(site, newReviewer());
      await untilWaiting(database);
      relay.isolate();
      await letGo();
      const silent = performance.now();
      const sent = [before];
      await vi.waitUntil(
        async () => isAcknowledged(sent[sent.push(await submitReview(other, newReviewer())) - 1] ?? expect.fail()),
        60_000,
      );
      expect(performance.now() - silent).toBeLessThan(25_000);
      await expectOnlyAcknowledgedStored(database, [...sent, await lost]);
      await site.stop("SIGKILL"); // it would wait for answers
    }),
  );
});
