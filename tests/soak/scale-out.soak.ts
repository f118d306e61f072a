import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  type InstancesEnvironment,
  restartInTurn,
  startInstancesEnvironment,
  stopUnderLoad,
} from "../support/instances-under-load.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { expectWithin, printFigure } from "../support/print-figure.ts";
import { findNginx, patient } from "../support/proxies.ts";
import { notesOf, readFirstPage } from "../support/read-list.ts";
import { festivalSettings, startSmallFestival } from "../support/refreshes.ts";
import { requestWithHost } from "../support/request-with-host.ts";
import { type Site, startSite } from "../support/site.ts";
import { storedRows } from "../support/stored.ts";

const nginx = patient(await findNginx());
const ROLLING_MS = 60_000;
const STOPS = 20;
const MAX_STALE = 800;
const STARTS = 20;

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

  test("rolling restarts under load fail no request and lose no acknowledged review", () =>
    restartInTurn(instances, { writers: 8, delay: 5 }, ROLLING_MS));

  test("an instance that is stopped under load, without a proxy, answers all requests that it received", async () => {
    let responses = 0;
    for (let stop = 0; stop < STOPS; stop++) responses += await stopUnderLoad(instances, 8);
    printFigure(`SIGTERM under load ${STOPS} times, requests answered`, responses, "responses");
  });
});

test("three servers that start at once on an empty database fetch the shows once, and all list them", async () => {
  for (let round = 0; round < STARTS; round++) {
    await using running = new AsyncDisposableStack();
    const database = await createEmptyDatabase();
    running.defer(database.close);
    const { fake } = await startSmallFestival();
    running.defer(fake.close);
    const origin = "http://front-row.example";
    const variables = { DATABASE_URL: database.url, ORIGIN: origin, ...festivalSettings(fake) };
    const starting = await Promise.allSettled([1, 2, 3].map(() => startSite(variables)));
    const sites = starting.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    running.defer(async () => void (await Promise.all(sites.map((site) => site.stop()))));
    expect(starting.filter(({ status }) => status === "rejected")).toEqual([]);
    const allListed = async () => (await Promise.all(sites.map(countShows))).every((shows) => shows === 250);
    await vi.waitUntil(allListed, { timeout: 60_000, interval: 50 });
    expect(await storedRows(database.db, "refreshes", ["outcome"])).toEqual([{ outcome: "succeeded" }]);
    expect(fake.requests).toHaveLength(3); // pages
    expect(await storedRows(database.db, "signing_keys", ["kid"])).toHaveLength(1);
  }
  printFigure("three servers started at once, one fetch and all list the shows", STARTS, "times");
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

async function countShows({ origin }: Site): Promise<number> {
  return z.object({ shows: z.number() }).parse(await (await fetch(`${origin}/readyz`)).json()).shows;
}
