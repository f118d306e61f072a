import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { findServer, residentMemory } from "../../dev/harness/processes.ts";
import { startSite, temporaryDataDir } from "../../dev/harness/running-site.ts";
import { printFigure } from "../support/print-figure.ts";
import { startReads } from "../support/reads.ts";

/** The limit of the p99 of pages while previews are drawn, in multiples of a quiet server's. */
const MAX_FACTOR = 2;

/** Quiet and busy times alternate, so that other load on the machine affects both. */
const ROUNDS = 20;
const PICTURES_PER_ROUND = 100;

/** In MB. What all pictures after the first round may add to the server's resident memory. */
const MAX_GROWTH = 150;
const running = new AsyncDisposableStack();
afterAll(() => running.disposeAsync());
const trusting = { TRUSTED_PROXIES: "127.0.0.1" };
const { origin, pid } = await startSite(await temporaryDataDir(running), running, trusting);
const server = findServer(pid);
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

test("previews that are drawn without a pause at most double p99 of pages, and leave the memory bounded", async () => {
  const sitemap = await (await fetch(`${origin}/sitemap.xml`)).text();
  const ids = Array.from(sitemap.matchAll(/\?show=([^<]+)</g), ([, id = ""]) => id);
  expect(ids.length).toBeGreaterThan(ROUNDS * PICTURES_PER_ROUND);
  const quiet: number[] = [];
  const busy: number[] = [];
  const crawls: Awaited<ReturnType<typeof crawl>>[] = [];
  let seconds = 0;
  let memory = 0;
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
    if (round === 0) memory = residentMemory(server, "now");
  }
  const [quietP99, busyP99] = [p99Of(quiet), p99Of(busy)];
  const growth = residentMemory(server, "now") - memory;
  const largest = Math.max(...crawls.map((result) => result.largest));
  printFigure("pages on a quiet server, p99", quietP99, "ms");
  printFigure("pages while previews are drawn, p99", busyP99, "ms");
  printFigure("time of 2,000 previews", seconds, "s");
  printFigure("largest preview", largest / 1000, "KB");
  expect(crawls.flatMap(({ failures }) => failures)).toEqual([]);
  expect(largest).toBeLessThan(200_000);
  printFigure("resident memory that 1,900 pictures add", growth, "MB");
  expect(growth).toBeLessThan(MAX_GROWTH);
  expect(busyP99).toBeLessThanOrEqual(MAX_FACTOR * quietP99);
});
