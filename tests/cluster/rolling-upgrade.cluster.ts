import { setTimeout as pause } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { startInstancesBehind } from "../support/instances.ts";
import { createOtherBuild, type OtherBuild, ownBuild } from "../support/other-build.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";
import { findProxies, patient } from "../support/proxies.ts";

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
      const { failures, files } = loads;
      const untilLoaded = (goal: number) =>
        vi.waitUntil(() => loads.count() > goal, { timeout: 60_000, interval: 20 });
      await untilLoaded(10);
      for (const index of [0, 1, 2]) await cluster.restart(index, next.program);
      await untilLoaded(loads.count() + 10);
      await loads.stop();
      printFigure(`rolling upgrade behind ${proxy.name}, page loads`, loads.count(), "loads");
      printFigure(`rolling upgrade behind ${proxy.name}, requests failed`, failures.length, "requests");
      expect(failures).toEqual([]);
      const loaded = [...files].map((address) => address.replace("/assets/", ""));
      expect(loaded).toEqual(expect.arrayContaining(ownFiles(previous, next)));
      expect(loaded).toEqual(expect.arrayContaining(ownFiles(next, previous)));
    },
  );

const types: Record<string, string> = { js: "text/javascript", css: "text/css" };

/** Like four browsers without a cache: loads all files that a page names, and those that these files name. */
function startPageLoads(origin: string) {
  const failures: string[] = [];
  const files = new Set<string>();
  let loads = 0;
  let stopped = false;

  async function read(address: string): Promise<string> {
    const response = await fetch(origin + address);
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    const isRight = type.startsWith(types[address.split(".").at(-1) ?? ""] ?? "");
    if (response.status !== 200 || !isRight) throw new Error(`${response.status} ${type}`);
    return text;
  }

  async function load(): Promise<void> {
    const seen = new Set<string>();
    async function follow(text: string): Promise<void> {
      const names = text.matchAll(/["'`](?:\/assets\/|\.\/|assets\/)([\w.-]+\.(?:js|css))["'`]/g);
      const found = new Set(Array.from(names, ([, name]) => `/assets/${name}`)).difference(seen);
      for (const address of found) seen.add(address);
      await Promise.all(Array.from(found, open));
    }
    const open = (address: string): Promise<unknown> =>
      read(address)
        .then(follow)
        .catch((error) => failures.push(`${address}: ${error.cause ?? error.message}`));
    await open("/");
    for (const address of seen) files.add(address);
    loads++;
  }

  const running = Array.from({ length: 4 }, async () => {
    while (!stopped) {
      await load();
      await pause(20);
    }
  });
  return {
    failures,
    files,
    count: () => loads,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Whether the start page loads the file. */
const isLoaded = (name: string) => /^(site|entry)/.test(name);

const ownFiles = (build: OtherBuild, other: OtherBuild) =>
  build.files.filter((name) => isLoaded(name) && !other.files.includes(name));
