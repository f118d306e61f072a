import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { startSite, temporaryDataDir } from "../../dev/harness/running-site.ts";
import type { Preview } from "../../src/shows/preview/preview.server.ts";
import { createDrawPreview } from "../../src/shows/preview/previews.server.ts";
import { printFigure } from "../support/print-figure.ts";
import { startReads } from "../support/reads.ts";

/** The limit of the p99 of pages while previews are drawn, in multiples of a quiet server's. */
const MAX_FACTOR = 2;

/** Quiet and busy times alternate, so that other load on the machine affects both. */
const ROUNDS = 20;
const PICTURES_PER_ROUND = 100;
const running = new AsyncDisposableStack();
afterAll(() => running.disposeAsync());
const trusting = { TRUSTED_PROXIES: "127.0.0.1" };
const { origin } = await startSite(await temporaryDataDir(running), running, trusting);
const addresses = ["/", "/?page=2", "/?interaction=yes", "/auth", "/?search=cat"];

/** Reads pages like three visitors during the task. Returns the times of responses, in ms. */
async function readDuring(task: () => Promise<unknown>): Promise<number[]> {
  const headers = (visitor: number) => ({ "X-Forwarded-For": `198.51.100.${visitor}` });
  const reads = startReads(origin, { addresses, readers: 3, headers });
  await task();
  const { failures, times } = await reads.stop();
  expect(failures).toEqual([]);
  return times;
}

const p99Of = (times: number[]) =>
  times.sort((a, b) => a - b)[Math.floor(0.99 * times.length)] ?? expect.fail();

async function crawl(ids: string[], firstClient: number): Promise<{ failures: number[]; largest: number }> {
  const workerData = { origin, ids, firstClient };
  const worker = new Worker(new URL("./crawl-previews.ts", import.meta.url), { workerData });
  const [result] = await once(worker, "message");
  return result;
}

test("previews that are drawn without a pause at most double p99 of pages", async () => {
  const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text();
  const ids = Array.from(sitemap.matchAll(/\?show=([^<]+)</g), ([, id = ""]) => id);
  expect(ids.length).toBeGreaterThan(ROUNDS * PICTURES_PER_ROUND);
  const quiet: number[] = [];
  const busy: number[] = [];
  const crawls: Awaited<ReturnType<typeof crawl>>[] = [];
  let seconds = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const first = round * PICTURES_PER_ROUND;
    let took = 0;
    const whileDrawn = await readDuring(async () => {
      const began = performance.now();
      crawls.push(await crawl(ids.slice(first, first + PICTURES_PER_ROUND), 2 * round));
      took = performance.now() - began;
    });
    seconds += took / 1000;
    busy.push(...whileDrawn);
    quiet.push(...(await readDuring(() => pause(took))));
  }
  const [quietP99, busyP99] = [p99Of(quiet), p99Of(busy)];
  const largest = Math.max(...crawls.map((result) => result.largest));
  printFigure("pages on a quiet server, p99", quietP99, "ms");
  printFigure("pages while previews are drawn, p99", busyP99, "ms");
  printFigure("time of 2,000 previews", seconds, "s");
  printFigure("largest preview", largest / 1000, "KB");
  expect(crawls.flatMap(({ failures }) => failures)).toEqual([]);
  expect(largest).toBeLessThan(200_000);
  expect(busyP99).toBeLessThanOrEqual(MAX_FACTOR * quietP99);
});

const PICTURES = 400;

/** This many pictures fill the caches and the allocator's pools. */
const FIRST = 50;

/** In bytes. What the others may add to resident memory: kept pictures, and a reserve. */
const MAX_GROWTH = 150_000_000;

const preview = (n: number): Preview => ({
  title: `Owls of Leith ${n} ${"again and ".repeat(n % 25)}مسرحية 🎭`,
  artist: `Troupe ${n}`,
  venue: "The Dock",
  isCancelled: n % 2 === 0,
  reviewed: null,
  sentences: [`${n} of 400 said Yes.`],
  description: "",
});

test("400 pictures in one thread leave the resident memory bounded", async () => {
  const draw = createDrawPreview(new Error("busy"));
  let before = 0;
  for (let n = 0; n < PICTURES; n++) {
    if (n === FIRST) before = process.memoryUsage.rss();
    await draw(preview(n), "198.51.100.1");
  }
  const growth = process.memoryUsage.rss() - before;
  printFigure("resident memory that 350 pictures add", growth / 1e6, "MB");
  expect(growth).toBeLessThan(MAX_GROWTH);
});
