import { sql } from "kysely";
import { describe, expect, test, vi } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { keepBrowsing } from "../support/browsing.ts";
import {
  expectStored,
  type FaultWorld,
  isSaved,
  type Sent,
  send,
  startFaultWorld,
  untilQuiet,
} from "../support/fault-world.ts";
import { goThroughOutage } from "../support/outage.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Runs a test in a world of its own: each waits most of the time, all of them at once. */
function inAWorld(run: (world: FaultWorld) => Promise<void>): () => Promise<void> {
  return async () => {
    const world = await startFaultWorld(await createTestDatabase());
    await run(world).finally(world.close);
  };
}

/** Holds a table against everybody, until it is let go. */
async function holdTable(database: Database, table: string): Promise<() => Promise<unknown>> {
  const trx = await database.db.startTransaction().execute();
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
  return () => trx.rollback().execute();
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

const answered = (sent: readonly Sent[]) => [...new Set(sent.map(({ outcome }) => outcome))].sort();

describe.concurrent("when the database", () => {
  test(
    "goes away, reading goes on, writing and signing in are told to come again, and all is well when it is back",
    inAWorld(async (world) => {
      await goThroughOutage(world, "cut", 2_000);
    }),
  );

  test.each([900, 3_000])(
    "answers %i ms late, reading does not notice, and reviews are written or refused in time, and never later",
    async (late) => {
      await inAWorld(async ({ site, way, database, someone }) => {
        const sent = [await send(site, someone(), "show-02")];
        const browsing = keepBrowsing(site);
        way.delay(late);
        sent.push(...(await Promise.all([send(site, someone()), send(site, someone()), send(site, someone())])));
        expect(answered(sent).filter((outcome) => outcome !== "200")).toEqual(["503 unavailable"]);
        expect((await browsing.stop()).failures).toEqual([]);
        way.delay(0);
        await untilQuiet(database);
        sent.push(await send(site, someone()));
        expect(sent.map(isSaved).at(-1)).toBe(true);
        await expectStored(database, sent);
      })();
    },
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

  test.each(["review_limits", "sessions"])(
    "keeps everybody waiting for %s, all connections are stuck: reading goes on, writes are refused in time, and never later; it recovers at once",
    async (table) => {
      await inAWorld(async ({ site, database, someone }) => {
        const browsing = keepBrowsing(site);
        const letGo = await holdTable(database, table);
        const sent = await Promise.all(Array.from({ length: 30 }, () => send(site, someone())));
        expect(answered(sent)).toEqual(["503 unavailable"]);
        await letGo();
        sent.push(await send(site, someone()));
        expect(sent.map(isSaved).at(-1)).toBe(true);
        expect((await browsing.stop()).failures).toEqual([]);
        await untilQuiet(database);
        await expectStored(database, sent);
      })();
    },
  );
});
