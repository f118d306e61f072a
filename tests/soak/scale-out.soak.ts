import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { liftLimits, sendReview } from "../../dev/harness/reviewers.ts";
import { signIn } from "../support/accounts.ts";
import { startInstances, waitUntilJobsDone } from "../support/instances.ts";
import { type InstancesEnvironment, startInstancesEnvironment } from "../support/instances-environment.ts";
import { findNginx } from "../support/nginx.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { readFirstPage, waitUntilReviewShown } from "../support/read-list.ts";
import { refreshRows } from "../support/refreshes.ts";
import { countFailures, expectAcknowledgedStored, startLoad } from "../support/steady-load.ts";

const nginx = await findNginx();

/** How long rolling restarts go on, in ms. */
const LONG = 60_000;

/** How often an instance is told to stop under load without a proxy. */
const STOPS = 20;

const writers = 8;

const addresses = ["/", "/?search=the&page=2", "/?interaction=yes", "/api/shows?search=a", "/auth"];

describe.skipIf(nginx === null)("three instances on one database, behind nginx, for a while", () => {
  let instances: InstancesEnvironment;

  beforeAll(async () => {
    instances = await startInstancesEnvironment(nginx ?? "", 10_000);
    await liftLimits(instances.database.db);
  });
  afterAll(() => instances?.close());

  test("a review shows everywhere within a second, while many browse", async () => {
    const plain = instances.shows.filter(({ title }) => /^[\w ]+$/.test(title));
    const load = startLoad(instances.origin, { addresses, reviewers: [], writers: 0, showIds: [], delay: 50 });
    const took: number[] = [];
    for (let index = 0; index < 100; index++) {
      const show = plain[index % plain.length] ?? expect.fail();
      const began = performance.now();
      const review = { show_id: show.id, audience_interaction: "no", notes: `Written as number ${index}` };
      expect((await sendReview(instances.at(index % 3).origin, instances.newReviewer(), review)).status).toBe(200);
      await Promise.all(instances.sites.map((site) => waitUntilReviewShown(site, show, review.notes)));
      took.push(performance.now() - began);
    }
    expect((await load.stop()).failures).toEqual({});
    took.sort((a, b) => a - b);
    printFigure("three instances, a review until all show it, median of 100", took[50] ?? Number.NaN, "ms");
    printFigure("three instances, a review until all show it, slowest of 100", took[99] ?? Number.NaN, "ms");
    expect(took[99]).toBeLessThan(1_000);
  });

  test("rolling restarts under load without a failed request, and without a lost review", async () => {
    const { refresh_token: refreshToken } = await signIn(instances.origin, "github", { email: "robin@people.example" });
    const showIds = instances.shows.map(({ id }) => id);
    const load = startLoad(instances.origin, {
      addresses,
      reviewers: instances.reviewers,
      writers,
      showIds,
      refreshToken,
      delay: 5,
    });
    const began = performance.now();
    let rounds = 0;
    for (; performance.now() - began < LONG; rounds++) {
      for (const index of [0, 1, 2]) expect(await instances.restart(index)).toBe(0);
    }
    const loaded = await load.stop();
    printFigure("rolling restarts for a minute, instances started again", rounds * 3, "times");
    printFigure("rolling restarts for a minute, requests answered", loaded.responses, "answers");
    printFigure("rolling restarts for a minute, slowest answer", loaded.slowest, "ms");
    printFigure("rolling restarts for a minute, reviews acknowledged and kept", loaded.acknowledged.size, "reviews");
    printFigure("rolling restarts for a minute, requests failed", countFailures(loaded), "requests");
    expect(loaded.failures).toEqual({});
    expect(loaded.refused).toBe(0);
    await expectAcknowledgedStored(instances.database, loaded);
  });

  test("told to stop under load without a proxy, an instance answers every request that has reached it", async () => {
    const showIds = instances.shows.map(({ id }) => id);
    let answers = 0;
    let failures = 0;
    for (let stop = 0; stop < STOPS; stop++) {
      const load = startLoad(instances.at(0).origin, {
        addresses,
        reviewers: instances.reviewers,
        writers,
        showIds,
        delay: 0,
      });
      await vi.waitUntil(() => load.result.acknowledged.size > 10, { timeout: 60_000, interval: 5 });
      expect(await instances.restart(0)).toBe(0);
      const loaded = await load.stop();
      answers += loaded.responses;
      failures += countFailures(loaded) - loaded.refused;
      expect(loaded.failures).toEqual({});
      expect(loaded.refused).toBe(2 * addresses.length + writers);
      await expectAcknowledgedStored(instances.database, loaded);
    }
    printFigure(`SIGTERM under load ${STOPS} times, requests answered`, answers, "answers");
    printFigure(`SIGTERM under load ${STOPS} times, requests failed`, failures, "requests");
  });

  test("one whose way to the database is silent is still browsed, and refuses writes in time", async () => {
    const load = startLoad(instances.origin, { addresses, reviewers: [], writers: 0, showIds: [], delay: 20 });
    instances.relay.isolate();
    const took = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const began = performance.now();
        const review = { show_id: instances.shows[0]?.id ?? "", audience_interaction: "yes" };
        expect((await sendReview(instances.at(2).origin, instances.newReviewer(), review)).status).toBe(503);
        return performance.now() - began;
      }),
    );
    const loaded = await load.stop();
    printFigure("an instance cut off from the database, slowest of 20 refused writes", Math.max(...took), "ms");
    printFigure("three instances of which one is cut off, slowest of the reads meanwhile", loaded.slowest, "ms");
    expect(Math.max(...took)).toBeLessThan(11_000);
    expect(loaded.failures).toEqual({});
  });
});

describe.skipIf(nginx === null)("three instances that begin together", () => {
  test("refresh once, ten times over", async () => {
    let refreshes = 0;
    for (let round = 0; round < 10; round++) {
      await using running = new AsyncDisposableStack();
      const database = await createEmptyDatabase();
      running.defer(database.close);
      const instances = await startInstances(database, nginx ?? "");
      running.defer(instances.close);
      for (const site of instances.sites) {
        await vi.waitUntil(async () => (await readFirstPage(site)).length > 0, { timeout: 60_000, interval: 20 });
      }
      await waitUntilJobsDone(database, instances);
      refreshes += (await refreshRows(database.db)).length;
      expect(instances.festival.requests).toHaveLength(1);
    }
    printFigure("three instances begin together on an empty database 10 times, refreshes", refreshes, "refreshes");
    expect(refreshes).toBe(10);
  });
});
