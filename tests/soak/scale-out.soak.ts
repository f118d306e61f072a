import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { liftLimits, sendReview } from "../../dev/harness/reviewers.ts";
import { signIn } from "../support/accounts.ts";
import {
  type InstancesEnvironment,
  startInstancesEnvironment,
  startInstancesOnRelay,
  waitUntilJobsDone,
} from "../support/instances.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { findNginx } from "../support/proxies.ts";
import { readFirstPage, waitUntilReviewShown } from "../support/read-list.ts";
import { refreshRows } from "../support/refreshes.ts";
import { countFailures, expectAcknowledgedStored, startLoad } from "../support/steady-load.ts";
import { expectWithin } from "./quiet-ratio.ts";

const nginx = await findNginx();

/** The duration of the rolling restarts, in ms. */
const ROLLING_MS = 60_000;

/** How often an instance is stopped under load without a proxy. */
const STOPS = 20;

/** How stale a page may be, in ms. */
const MAX_STALE = 800;

/** The time after which a review is refused, in ms. */
const DEADLINE = 10_000;

const writers = 8;

const addresses = ["/", "/?search=the&page=2", "/?interaction=yes", "/api/shows?search=a", "/auth"];

describe.skipIf(nginx.program === null)("three instances on one database behind nginx", () => {
  let instances: InstancesEnvironment;

  beforeAll(async () => {
    instances = await startInstancesEnvironment(nginx, 10_000);
    await liftLimits(instances.database.db);
  });
  afterAll(() => instances?.close());

  /** Writes reviews, one after the other. Resolves with how long all instances took to show each, sorted. */
  async function timesUntilShown(count: number): Promise<number[]> {
    const plainTitled = instances.shows.filter(({ title }) => /^[\w ]+$/.test(title));
    const took: number[] = [];
    for (let index = 0; index < count; index++) {
      const show = plainTitled[index % plainTitled.length] ?? expect.fail();
      const start = performance.now();
      const review = { show_id: show.id, audience_interaction: "no", notes: `${count} written, ${index}` };
      expect((await sendReview(instances.at(index % 3).origin, instances.newReviewer(), review)).status).toBe(
        200,
      );
      await Promise.all(instances.sites.map((site) => waitUntilReviewShown(site, show, review.notes)));
      took.push(performance.now() - start);
    }
    return took.sort((a, b) => a - b);
  }

  test("a review shows at every instance under load soon after the time for which pages may be stale", async () => {
    const quiet = await timesUntilShown(20);
    const load = startLoad(instances.origin, {
      addresses,
      reviewers: [],
      writers: 0,
      showIds: [],
      delay: 50,
    });
    const took = await timesUntilShown(100);
    expect((await load.stop()).failures).toEqual({});
    const name = "three instances, a review until all show it";
    printFigure(`${name}, median of 100`, took[50] ?? Number.NaN, "ms");
    expectWithin(`${name}, slowest of 100`, took[99] ?? Number.NaN, {
      quiet: quiet[10] ?? Number.NaN,
      factor: 20,
      limit: MAX_STALE,
    });
  });

  test("rolling restarts under load fail no request and lose no acknowledged review", async () => {
    const { refresh_token: refreshToken } = await signIn(instances.origin, "github", {
      email: "robin@people.example",
    });
    const showIds = instances.shows.map(({ id }) => id);
    const load = startLoad(instances.origin, {
      addresses,
      reviewers: instances.reviewers,
      writers,
      showIds,
      refreshToken,
      delay: 5,
    });
    const start = performance.now();
    let rounds = 0;
    for (; performance.now() - start < ROLLING_MS; rounds++) {
      for (const index of [0, 1, 2]) expect(await instances.restart(index)).toBe(0);
    }
    const result = await load.stop();
    printFigure("rolling restarts for a minute, restarts", rounds * 3, "times");
    printFigure("rolling restarts for a minute, requests answered", result.responses, "responses");
    printFigure("rolling restarts for a minute, slowest response", result.slowest, "ms");
    printFigure(
      "rolling restarts for a minute, acknowledged reviews stored",
      result.acknowledged.size,
      "reviews",
    );
    printFigure("rolling restarts for a minute, requests failed", countFailures(result), "requests");
    expect(result.failures).toEqual({});
    expect(result.refused).toBe(0);
    await expectAcknowledgedStored(instances.database, result);
  });

  test("an instance that is stopped under load, without a proxy, answers every request that has reached it", async () => {
    const showIds = instances.shows.map(({ id }) => id);
    let responses = 0;
    let failures = 0;
    for (let stop = 0; stop < STOPS; stop++) {
      const load = startLoad(instances.at(0).origin, {
        host: new URL(instances.origin).host,
        addresses,
        reviewers: instances.reviewers,
        writers,
        showIds,
        delay: 0,
      });
      await vi.waitUntil(() => load.result.acknowledged.size > 10, { timeout: 60_000, interval: 5 });
      expect(await instances.restart(0)).toBe(0);
      const result = await load.stop();
      responses += result.responses;
      failures += countFailures(result) - result.refused;
      expect(result.failures).toEqual({});
      expect(result.refused).toBe(2 * addresses.length + writers);
      await expectAcknowledgedStored(instances.database, result);
    }
    printFigure(`SIGTERM under load ${STOPS} times, requests answered`, responses, "responses");
    printFigure(`SIGTERM under load ${STOPS} times, requests failed`, failures, "requests");
  });

  test("an instance whose database is unreachable serves reads, and refuses writes in time", async () => {
    const load = startLoad(instances.origin, {
      addresses,
      reviewers: [],
      writers: 0,
      showIds: [],
      delay: 20,
    });
    const sent = performance.now();
    const stored = { show_id: instances.shows[1]?.id ?? "", audience_interaction: "yes" };
    expect((await sendReview(instances.at(2).origin, instances.newReviewer(), stored)).status).toBe(200);
    const quiet = performance.now() - sent;
    instances.relay.isolate();
    const took = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const start = performance.now();
        const review = { show_id: instances.shows[0]?.id ?? "", audience_interaction: "yes" };
        expect((await sendReview(instances.at(2).origin, instances.newReviewer(), review)).status).toBe(503);
        return performance.now() - start;
      }),
    );
    const result = await load.stop();
    expectWithin("an instance cut off from the database, slowest of 20 refused writes", Math.max(...took), {
      quiet,
      factor: 20,
      limit: DEADLINE,
    });
    printFigure("three instances of which one is cut off, slowest read meanwhile", result.slowest, "ms");
    expect(result.failures).toEqual({});
  });
});

describe.skipIf(nginx.program === null)("three instances that start simultaneously", () => {
  test("refresh only once, in each of ten starts", async () => {
    let refreshes = 0;
    for (let round = 0; round < 10; round++) {
      await using running = new AsyncDisposableStack();
      const database = await createEmptyDatabase();
      running.defer(database.close);
      const instances = await startInstancesOnRelay(database, nginx);
      running.defer(instances.close);
      for (const site of instances.sites) {
        await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, {
          timeout: 60_000,
          interval: 20,
        });
      }
      await waitUntilJobsDone(database, instances);
      refreshes += (await refreshRows(database.db)).length;
      expect(instances.festival.requests).toHaveLength(1);
    }
    printFigure(
      "three instances start simultaneously on an empty database 10 times, refreshes",
      refreshes,
      "refreshes",
    );
    expect(refreshes).toBe(10);
  });
});
