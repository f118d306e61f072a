import v8 from "node:v8";
import vm from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../support/fuzz/fuzz-runs.ts";
import { festivalArbitrary, RECORD_COUNT, startFuzzedRefresh } from "../support/fuzz/fuzzed-refresh.ts";
import { type FuzzedSite, startFuzzedSite } from "../support/fuzz/fuzzed-site.ts";
import { printFigure } from "../support/print-figure.ts";

/** Memory is compared after the first of these parts, when everything that is kept has been filled, and after the last. */
const PARTS = 5;

/** What memory may grow by between them, in bytes: nothing is to be kept of what was asked. */
const ROOM = 15_000_000;

const MB = 1_000_000;

/** A fifth of 100,000 requests: changed ones and broken bytes. Answers how many were sent. */
async function askPart({
  requests,
  streams: broken,
  send,
  sendBytes,
}: FuzzedSite): Promise<{ asked: number; streams: number }> {
  let asked = 0;
  let streams = 0;
  const asking = fc.asyncProperty(requests, async (drafts) => {
    asked += drafts.length;
    await send(drafts);
  });
  const streaming = fc.asyncProperty(broken, async (bytes) => {
    streams += bytes.length;
    await sendBytes(bytes);
  });
  await fc.assert(asking, fuzzRuns(5_300));
  await fc.assert(streaming, fuzzRuns(600));
  return { asked, streams };
}

test("100,000 requests leave the server as it was", async () => {
  const fuzzed = await startFuzzedSite();
  const connectionsBefore = await databaseConnections(fuzzed);
  let asked = 0;
  let streams = 0;
  const held: { heap: number; rss: number }[] = [];
  for (let part = 0; part < PARTS; part++) {
    const sent = await askPart(fuzzed);
    asked += sent.asked;
    streams += sent.streams;
    held.push(await fuzzed.measureMemory());
  }
  const [first = expect.fail()] = held;
  const last = held.at(-1) ?? expect.fail();
  await fuzzed.expectHealthy();
  const left = (await fuzzed.measureMemory()).connections;
  await expect
    .poll(() => databaseConnections(fuzzed), { timeout: 60_000, interval: 500 })
    .toBeLessThanOrEqual(connectionsBefore);
  printFigure("fuzzed requests", asked, "requests");
  printFigure("fuzzed streams of bytes", streams, "streams");
  printFigure("fuzzed, heap and buffers after a fifth", first.heap / MB, "MB");
  printFigure("fuzzed, heap and buffers after all", last.heap / MB, "MB");
  printFigure("fuzzed, resident memory after a fifth", first.rss / MB, "MB");
  printFigure("fuzzed, resident memory after all", last.rss / MB, "MB");
  printFigure("fuzzed, connections left", left, "connections");
  expect(asked + streams).toBeGreaterThanOrEqual(100_000);
  expect(last.heap - first.heap).toBeLessThan(ROOM);
  await fuzzed.close();
});

/** How many connections the server has to its database, or is about to close. */
async function databaseConnections({ database: { pool } }: FuzzedSite): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer from pg_stat_activity where datname = current_database()",
  );
  return (rows[0]?.count ?? 0) - pool.totalCount;
}

test("100,000 records of the festival's leave a whole list, and nothing in memory", async () => {
  const fuzzed = await startFuzzedRefresh();
  const held: number[] = [];
  let refreshes = 0;
  for (let part = 0; part < PARTS; part++) {
    const refreshing = fc.asyncProperty(festivalArbitrary, async (saying) => {
      refreshes += 1;
      await fuzzed.refreshFrom(saying);
    });
    await fc.assert(refreshing, fuzzRuns(88));
    held.push(heapOfThisProcess());
  }
  const [first = expect.fail()] = held;
  const last = held.at(-1) ?? expect.fail();
  printFigure("fuzzed refreshes", refreshes, "refreshes");
  printFigure("fuzzed records", refreshes * RECORD_COUNT, "records");
  printFigure("fuzzed refreshes, heap and buffers after a fifth", first / MB, "MB");
  printFigure("fuzzed refreshes, heap and buffers after all", last / MB, "MB");
  expect(refreshes * RECORD_COUNT).toBeGreaterThanOrEqual(100_000);
  expect(last - first).toBeLessThan(ROOM);
  await fuzzed.close();
});

/** After its garbage was collected, in bytes. */
function heapOfThisProcess(): number {
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
