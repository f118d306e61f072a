import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inventReviewers, sendReview } from "../../dev/harness/reviewers.ts";
import type { Database } from "../../src/database/open.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { type Instances, startInstancesBehind } from "../support/instances.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { runProgram } from "../support/program.ts";
import { findProxies } from "../support/proxies.ts";
import { operatorSettings, unavailableFestival } from "../support/site.ts";

const addresses = ["/", "/?search=the", "/api/shows", "/auth"];

/** In ms. Readers that wait longer have met the hanging instance. */
const NOTICED = 1_500;

function startReaders(origin: string, count: number) {
  const result = { responses: 0, failures: [] as string[], times: [] as number[] };
  let stopped = false;
  const running = Array.from({ length: count }, async (_, reader) => {
    for (let request = reader; !stopped; request++) {
      const startedAt = performance.now();
      const address = addresses[request % addresses.length] ?? "/";
      const headers = { apikey: "front-row-public" };
      const response = await fetch(origin + address, { headers }).catch((error: Error) => error);
      if (response instanceof Error)
        result.failures.push(`${address}: ${response.cause ?? response.message}`);
      else {
        if (response.status !== 200) result.failures.push(`${address}: ${response.status}`);
        await response.arrayBuffer();
      }
      result.times.push(performance.now() - startedAt);
      result.responses += 1;
      await pause(10);
    }
  });
  return {
    result,
    async wait(further: number): Promise<void> {
      const goal = result.responses + further;
      await vi.waitUntil(() => result.responses >= goal, { timeout: 100_000, interval: 20 });
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
      return result;
    },
  };
}

for (const proxy of await findProxies())
  describe.skipIf(proxy.program === null)(`behind ${proxy.name}`, () => {
    let database: Database;
    let cluster: Instances;
    beforeAll(async () => {
      database = await createTestDatabase();
      await database.db
        .insertInto("shows")
        .values({ id: "show", title: "The show", year: YEAR, status: "active", details: "{}" })
        .execute();
      cluster = await startInstancesBehind(proxy, database);
    });
    afterAll(async () => {
      await cluster?.close();
      await database?.close();
    });

    test("an instance that hangs is left out after two seconds, and tried again later", async () => {
      const readers = startReaders(cluster.origin, 8);
      await readers.wait(100);
      cluster.at(1).process.kill("SIGSTOP");
      await readers.wait(1_500);
      const { failures, times } = await readers.stop();
      const slowest = Math.max(...times);
      const slow = times.filter((time) => time > NOTICED).length;
      const what = `an instance hangs behind ${proxy.name}`;
      printFigure(`${what}, slowest read`, slowest, "ms");
      printFigure(`${what}, reads that took longer than ${NOTICED} ms`, slow, "reads");
      expect(failures).toEqual([]);
      expect(slowest).toBeLessThan(5_000);
      // Requests that it got before the proxy noticed, and a few probes.
      expect(slow).toBeLessThan(8 + 1 + times.length / 100);
      cluster.at(1).process.kill("SIGCONT");
      const requestsAt = async () => countRequests(await (await cluster.at(1).api("/metrics")).text());
      const before = await requestsAt();
      const again = startReaders(cluster.origin, 3);
      await vi.waitUntil(async () => (await requestsAt()) > before + 10, { timeout: 60_000, interval: 100 });
      expect((await again.stop()).failures).toEqual([]);
    });

    test("a review is stored while an instance hangs", async () => {
      const reviewers = await inventReviewers(database.db, cluster.origin, 4);
      const readers = startReaders(cluster.origin, 3);
      cluster.at(2).process.kill("SIGSTOP");
      await readers.wait(300);
      for (const reviewer of reviewers) {
        const review = { show_id: "show", audience_interaction: "yes" };
        expect((await sendReview(cluster.origin, reviewer, review)).status).toBe(200);
      }
      cluster.at(2).process.kill("SIGCONT");
      expect((await readers.stop()).failures).toEqual([]);
      expect(await database.db.selectFrom("reviews").select("user_id").execute()).toHaveLength(4);
    });

    test("a review that is sent to an instance as it hangs reaches another, or fails in time", async () => {
      await database.db.deleteFrom("reviews").execute();
      const reviewers = await inventReviewers(database.db, cluster.origin, 9);
      cluster.at(1).process.kill("SIGSTOP");
      const startedAt = performance.now();
      const review = { show_id: "show", audience_interaction: "no" };
      const responses = await Promise.all(reviewers.map((each) => sendReview(cluster.origin, each, review)));
      const slowest = performance.now() - startedAt;
      cluster.at(1).process.kill("SIGCONT");
      printFigure(`a review as an instance hangs behind ${proxy.name}, slowest of 9`, slowest, "ms");
      // The dialog waits for 30 s.
      expect(slowest).toBeLessThan(20_000);
      const failed = responses.filter(({ status }) => status !== 200);
      expect(failed.map(({ status }) => status)).toEqual(failed.map(() => 504));
      if (proxy.resendsBodies) expect(failed).toEqual([]);
      const stored = await database.db.selectFrom("reviews").select("user_id").execute();
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

function countRequests(metrics: string): number {
  const counts = metrics.matchAll(
    /^front_row_http_request_duration_seconds_count\{.*route="\/(?:api\/shows|auth)?".* (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
