import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { signIn } from "../support/accounts.ts";
import { type InstancesEnvironment, startInstancesEnvironment } from "../support/instances-under-load.ts";
import { expectWithin, printFigure } from "../support/print-figure.ts";
import { findNginx, patient } from "../support/proxies.ts";
import { notesOf, readFirstPage } from "../support/read-list.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import type { Site } from "../support/site.ts";
import { expectAcknowledgedStored } from "../support/steady-load.ts";

const nginx = patient(await findNginx());
const ROLLING_MS = 60_000;
const MAX_STALE = 800;

describe.skipIf(nginx.program === null)("three instances on one database behind nginx", () => {
  let instances: InstancesEnvironment;
  beforeAll(async () => {
    instances = await startInstancesEnvironment(nginx, 10_000);
  });
  afterAll(() => instances?.close());

  test("under load, every instance shows a review soon after the staleness limit", async () => {
    const quiet = await timesUntilShown(instances, 20);
    const load = instances.startLoad({ writers: 0, delay: 50 });
    const took = await timesUntilShown(instances, 100);
    expect((await load.stop()).failures).toEqual({});
    const name = "three instances, a review until all show it";
    printFigure(`${name}, median of 100`, took[50] ?? Number.NaN, "ms");
    const bound = { quiet: quiet[10] ?? Number.NaN, factor: 20, limit: MAX_STALE };
    expectWithin(`${name}, slowest of 100`, took[99] ?? Number.NaN, bound);
  });

  test("rolling restarts under load fail no request and lose no acknowledged review", async () => {
    const { refresh_token } = await signIn(instances.origin, "github", { email: "robin@people.example" });
    const load = instances.startLoad({ writers: 8, delay: 5, refreshToken: refresh_token });
    const start = performance.now();
    let restarts = 0;
    for (; performance.now() - start < ROLLING_MS; restarts++)
      expect(await instances.restart(restarts % 3)).toBe(0);
    const result = await load.stop();
    printFigure("rolling restarts under load, restarts", restarts, "times");
    printFigure("rolling restarts under load, requests answered", result.responses, "responses");
    printFigure("rolling restarts under load, slowest response", result.slowest, "ms");
    printFigure("rolling restarts under load, reviews stored", result.acknowledged.size, "reviews");
    expect([result.failures, result.refused]).toEqual([{}, 0]);
    await expectAcknowledgedStored(instances.database, result);
  });
});

async function timesUntilShown({ shows, sites, at, review, origin }: InstancesEnvironment, count: number) {
  const plainTitled = shows.filter(({ title }) => /^[\w ]+$/.test(title));
  const polling = { timeout: 30_000, interval: 5 };
  const { host } = new URL(origin);
  const took: number[] = [];
  for (let index = 0; index < count; index++) {
    const { id, title } = plainTitled[index % plainTitled.length] ?? expect.fail();
    const start = performance.now();
    const notes = `${count} written, ${index}`;
    expect((await review(at(index % 3).origin, id, notes)).status).toBe(200);
    const isShown = async (site: Site) => {
      const page = await (await requestWithHost(site.origin, host)).text();
      const firstTitle = /class="card-title"[^>]*>(?:<a [^>]*>)?([^<]*)/.exec(page)?.[1];
      const isFirst = (await readFirstPage(site))[0]?.id === id;
      return isFirst && firstTitle === title && (await notesOf(site, id)).includes(notes);
    };
    await Promise.all(sites.map((site) => vi.waitUntil(() => isShown(site), polling)));
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b);
}
