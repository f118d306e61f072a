import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { expectStored, type FaultWorld, isSaved, send, startFaultWorld } from "../support/fault-world.ts";
import { goThroughOutage } from "../support/outage.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { writeWhileLate, writeWhileStuck } from "../support/slow-database.ts";

/** Runs a test in a world of its own: each waits most of the time, all of them at once. */
function inAWorld(run: (world: FaultWorld) => Promise<unknown>): () => Promise<void> {
  return async () => {
    const world = await startFaultWorld(await createTestDatabase());
    await run(world).finally(world.close);
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
    inAWorld((world) => goThroughOutage(world, "cut", 2_000)),
  );

  test(
    "answers late, reading does not notice, and reviews are written or refused in time, and never later",
    inAWorld((world) => writeWhileLate(world, 900)),
  );

  test(
    "keeps all connections waiting, reading goes on, writes are refused in time, and never later; it recovers at once",
    inAWorld((world) => writeWhileStuck(world, "review_limits")),
  );

  test(
    "hears nothing any more of a server in the middle of a review, others can review that show within seconds",
    inAWorld(async ({ site, way, database, someone, startOther }) => {
      const other = await startOther();
      const before = await send(other, someone());
      const letGo = await holdTallies(database);
      const lost = send(site, someone());
      await untilWaiting(database);
      way.isolate();
      await letGo();
      const silent = performance.now();
      const sent = [before];
      await vi.waitUntil(
        async () => isSaved(sent[sent.push(await send(other, someone())) - 1] ?? expect.fail()),
        60_000,
      );
      expect(performance.now() - silent).toBeLessThan(25_000);
      await expectStored(database, [...sent, await lost]);
      await site.end("SIGKILL"); // it would wait for answers
    }),
  );
});
