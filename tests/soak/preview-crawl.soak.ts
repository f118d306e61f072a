import { once } from "node:events";
import { createHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSite, temporaryDataDir } from "../../scripts/running-site.ts";
import { printFigure } from "../support/print-figure.ts";

/** How much longer than on a quiet server pages may take while all previews are drawn, p99 in ms. */
const P99_ALLOWANCE = 10;

const QUIET_SECONDS = 60;

const running = new AsyncDisposableStack();
let origin: string;

beforeAll(async () => {
  const site = await startSite(await temporaryDataDir(running), running, { TRUSTED_PROXIES: "127.0.0.1" });
  origin = site.origin;
}, 10 * 60_000);
afterAll(() => running.disposeAsync());

const addresses = ["/", "/?page=2", "/?interaction=yes", "/auth", "/?search=cat"];

/** Reads pages as a few visitors do, until it is stopped. Resolves with p99 in ms. */
function startReading(): { stop: () => Promise<number> } {
  const latencies = createHistogram();
  let stopped = false;
  async function read(): Promise<void> {
    for (let n = 0; !stopped; n++) {
      const began = performance.now();
      const response = await fetch(origin + addresses[n % addresses.length], {
        headers: { "X-Forwarded-For": "198.51.100.1" },
      });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      latencies.record(Math.max(1, Math.round((performance.now() - began) * 1000)));
      await pause(50);
    }
  }
  const reading = read();
  return {
    async stop() {
      stopped = true;
      await reading;
      return latencies.percentile(99) / 1000;
    },
  };
}

test("a crawl of all previews leaves p99 of pages within 10 ms of its quiet value", async () => {
  const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text();
  const ids = Array.from(sitemap.matchAll(/\?show=([^<]+)</g), ([, id = ""]) => id);
  expect(ids.length).toBeGreaterThan(3_000);

  const quiet = startReading();
  await pause(QUIET_SECONDS * 1000);
  const quietP99 = await quiet.stop();

  const busy = startReading();
  const began = performance.now();
  const worker = new Worker(new URL("../support/crawl-previews.ts", import.meta.url), {
    workerData: { origin, ids },
  });
  const [{ failures, largest }] = await once(worker, "message");
  const seconds = (performance.now() - began) / 1000;
  const busyP99 = await busy.stop();

  printFigure("pages on a quiet server, p99", quietP99, "ms");
  printFigure("pages while all previews are drawn, p99", busyP99, "ms");
  printFigure("time of the crawl", seconds, "s");
  printFigure("largest preview", largest / 1000, "KB");
  expect(failures).toEqual([]);
  expect(largest).toBeLessThan(200_000);
  expect(busyP99).toBeLessThan(quietP99 + P99_ALLOWANCE);
});
