import { afterAll, expect, test, vi } from "vitest";
import { startInstancesBehind } from "../support/instances.ts";
import { createOtherBuild, type OtherBuild, ownBuild } from "../support/other-build.ts";
import { startPageLoads } from "../support/page-loads.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { findProxies, patient } from "../support/proxies.ts";
import type { Site } from "../support/site.ts";

const previous = await ownBuild();
const next = await createOtherBuild("b");
afterAll(next.remove);

for (const proxy of await findProxies())
  test.skipIf(proxy.program === null)(
    `three instances behind ${proxy.name} are upgraded one by one, and every page loads, also pages of before`,
    async () => {
      await using running = new AsyncDisposableStack();
      const empty = await createTestDatabase();
      running.defer(empty.close);
      const cluster = await startInstancesBehind(patient(proxy), empty, previous.program);
      running.defer(cluster.close);
      const loads = startPageLoads(cluster.origin);
      await vi.waitUntil(() => loads.result.loads > 10, { timeout: 60_000, interval: 20 });
      for (const index of [0, 1, 2]) await cluster.restart(index, next.program);
      const atTheEnd = loads.result.loads;
      await vi.waitUntil(() => loads.result.loads > atTheEnd + 10, { timeout: 60_000, interval: 20 });
      const { failures, files } = await loads.stop();
      printFigure(`rolling upgrade behind ${proxy.name}, page loads`, loads.result.loads, "loads");
      printFigure(`rolling upgrade behind ${proxy.name}, requests failed`, failures.length, "requests");
      expect(failures).toEqual([]);
      const loaded = [...files].map((address) => address.replace("/assets/", ""));
      expect(loaded).toEqual(expect.arrayContaining(ownFiles(previous, next)));
      expect(loaded).toEqual(expect.arrayContaining(ownFiles(next, previous)));
      for (const index of [0, 1, 2]) await expectFiles(cluster.at(index), previous);
    },
  );

/** Whether the start page loads the file. */
const isLoaded = (name: string) => /^(root|home|site|entry|manifest)/.test(name);

const ownFiles = (build: OtherBuild, other: OtherBuild) =>
  build.files.filter((name) => isLoaded(name) && !other.files.includes(name));

async function expectFiles(site: Site, build: OtherBuild): Promise<void> {
  for (const name of build.files) {
    const response = await fetch(`${site.origin}/assets/${name}`);
    expect(response.status, name).toBe(200);
    expect(await response.text()).toBe(await build.read(name));
  }
}
