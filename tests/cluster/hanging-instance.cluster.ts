import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { givenNone, givenShows } from "../support/given.ts";
import { type Instances, startInstancesBehind } from "../support/instances.ts";
import { countRequests } from "../support/metrics.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { runProgram } from "../support/program.ts";
import { findProxies } from "../support/proxies.ts";
import { startReads } from "../support/reads.ts";
import { operatorSettings, unavailableFestival } from "../support/site.ts";
import { storedRows } from "../support/stored.ts";

/** In ms. Readers that wait longer have met the hanging instance, unless reads took as long before. */
const NOTICED = 1_500;

const review = { show_id: "show-1", audience_interaction: "yes" };

const startReaders = (origin: string, readers: number) =>
  startReads(origin, { addresses: ["/", "/?search=the", "/api/shows", "/auth"], readers, delay: 10 });

function untilRead({ result: { times } }: ReturnType<typeof startReads>, further: number) {
  const goal = times.length + further;
  return vi.waitUntil(() => times.length >= goal, { timeout: 100_000, interval: 20 });
}

for (const proxy of await findProxies())
  describe.skipIf(proxy.program === null)(`behind ${proxy.name}`, () => {
    let database: Database;
    let cluster: Instances;
    beforeAll(async () => {
      database = await createTestDatabase();
      await givenShows(database.db, 1);
      cluster = await startInstancesBehind(proxy, database);
    });
    afterAll(async () => {
      await cluster?.close();
      await database?.close();
    });

    test("an instance that hangs is left out after two seconds, reviews are stored, and it is tried again", async () => {
      const reviewers = await inventReviewers(database.db, cluster.origin, 4);
      const readers = startReaders(cluster.origin, 8);
      await untilRead(readers, 100);
      const quiet = Math.max(...readers.result.times);
      cluster.at(1).process.kill("SIGSTOP");
      await untilRead(readers, 1_500);
      for (const reviewer of reviewers)
        expect((await sendReview(cluster.origin, reviewer, review)).status).toBe(200);
      const { failures, times } = await readers.stop();
      const slowest = Math.max(...times);
      const slow = times.filter((time) => time > Math.max(NOTICED, quiet)).length;
      const what = `an instance hangs behind ${proxy.name}`;
      printFigure(`${what}, slowest read`, slowest, "ms");
      printFigure(`${what}, reads that waited for it`, slow, "reads");
      expect(failures).toEqual([]);
      expect(slowest).toBeLessThan(5_000 + 5 * quiet);
      // Requests that it got before the proxy noticed, and a few probes.
      expect(slow).toBeLessThan(8 + 1 + times.length / 100);
      expect(await storedRows(database.db, "reviews", ["user_id"])).toHaveLength(4);
      cluster.at(1).process.kill("SIGCONT");
      const requestsAt = () => countRequests(cluster.at(1).origin);
      const before = await requestsAt();
      const again = startReaders(cluster.origin, 3);
      await vi.waitUntil(async () => (await requestsAt()) > before + 10, { timeout: 60_000, interval: 100 });
      expect((await again.stop()).failures).toEqual([]);
    });

    test("a review that is sent to an instance as it hangs reaches another, or fails in time", async () => {
      await givenNone(database.db, "reviews");
      const reviewers = await inventReviewers(database.db, cluster.origin, 9);
      cluster.at(1).process.kill("SIGSTOP");
      const startedAt = performance.now();
      const responses = await Promise.all(reviewers.map((each) => sendReview(cluster.origin, each, review)));
      const slowest = performance.now() - startedAt;
      cluster.at(1).process.kill("SIGCONT");
      printFigure(`a review as an instance hangs behind ${proxy.name}, slowest of 9`, slowest, "ms");
      // The dialog waits for 30 s.
      expect(slowest).toBeLessThan(20_000);
      const failed = responses.filter(({ status }) => status !== 200);
      expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 504));
      if (proxy.resendsBodies) expect(failed).toEqual([]);
      const stored = await storedRows(database.db, "reviews", ["user_id"]);
      expect(stored.length).toBeGreaterThanOrEqual(9 - failed.length);
    });

    test("an instance that starts in a database outage delays no request", async () => {
      const readers = startReaders(cluster.origin, 8);
      await cluster.at(0).stop();
      const lost = { ...cluster.variables[0], DATABASE_URL: "postgres://nobody@127.0.0.1:9/lost" };
      const given = { ...operatorSettings, ...unavailableFestival, ...lost };
      const code = await runProgram("build/server/main.js", [], given).exited;
      const { failures, times } = await readers.stop();
      printFigure(`a start without database behind ${proxy.name}, slowest read`, Math.max(...times), "ms");
      expect(code).toBe(1);
      expect(failures).toEqual([]);
      expect(Math.max(...times)).toBeLessThan(3_000);
    });
  });
