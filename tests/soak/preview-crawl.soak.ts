import { createHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
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
  let largest = 0;
  // Four clients at a time, each with an address of its own for 50 pictures.
  const queue = [...ids.entries()];
  const crawl = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, id] = next;
      const response = await fetch(`${origin}/api/shows/${id}/preview.png`, {
        headers: { "X-Forwarded-For": `203.0.113.${Math.floor(index / 50)}` },
      });
      expect(response.status).toBe(200);
      largest = Math.max(largest, (await response.arrayBuffer()).byteLength);
    }
  };
  await Promise.all([crawl(), crawl(), crawl(), crawl()]);
  const seconds = (performance.now() - began) / 1000;
  const busyP99 = await busy.stop();

  printFigure("pages on a quiet server, p99", quietP99, "ms");
  printFigure("pages while all previews are drawn, p99", busyP99, "ms");
  printFigure("time of the crawl", seconds, "s");
  printFigure("largest preview", largest / 1000, "KB");
  expect(largest).toBeLessThan(200_000);
  expect(busyP99).toBeLessThan(quietP99 + P99_ALLOWANCE);
});
