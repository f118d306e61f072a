import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../support/fuzz/fuzz-runs.ts";
import { type FuzzedSite, startFuzzedSite } from "../support/fuzz/fuzzed-site.ts";
import { printFigure } from "../support/print-figure.ts";

/** Parts of the run. Caches are full after the second: its memory is compared with that after four more. */
const PARTS = 6;
const MAX_GROWTH = 15_000_000;
const MB = 1_000_000;

async function sendPart({ requests, streams: brokenStreams, send, sendBytes }: FuzzedSite) {
  let requestCount = 0;
  let streams = 0;
  const requestProperty = fc.asyncProperty(requests, async (drafts) => {
    requestCount += drafts.length;
    await send(drafts);
  });
  const streamProperty = fc.asyncProperty(brokenStreams, async (bytes) => {
    streams += bytes.length;
    await sendBytes(bytes);
  });
  await fc.assert(requestProperty, fuzzRuns(5_300));
  await fc.assert(streamProperty, fuzzRuns(600));
  return { requests: requestCount, streams };
}

test("the server stays healthy and leaks no memory after 100,000 mutated requests", async () => {
  const fuzzed = await startFuzzedSite();
  onTestFinished(fuzzed.close);
  const connectionsBefore = await databaseConnections(fuzzed);
  let requestCount = 0;
  let streams = 0;
  const measurements: { heap: number; rss: number }[] = [];
  for (let part = 0; part < PARTS; part++) {
    const sent = await sendPart(fuzzed);
    requestCount += sent.requests;
    streams += sent.streams;
    measurements.push(await fuzzed.measureMemory());
  }
  const [, second = expect.fail()] = measurements;
  const last = measurements.at(-1) ?? expect.fail();
  await fuzzed.expectHealthy();
  const connectionsLeft = (await fuzzed.measureMemory()).connections;
  await expect
    .poll(() => databaseConnections(fuzzed), { timeout: 60_000, interval: 500 })
    .toBeLessThanOrEqual(connectionsBefore);
  printFigure("fuzzed requests", requestCount, "requests");
  printFigure("fuzzed streams of bytes", streams, "streams");
  printFigure("fuzzed, heap and buffers after two sixths", second.heap / MB, "MB");
  printFigure("fuzzed, heap and buffers after all", last.heap / MB, "MB");
  printFigure("fuzzed, resident memory after two sixths", second.rss / MB, "MB");
  printFigure("fuzzed, resident memory after all", last.rss / MB, "MB");
  printFigure("fuzzed, connections left", connectionsLeft, "connections");
  expect(requestCount + streams).toBeGreaterThanOrEqual(100_000);
  expect(last.heap - second.heap).toBeLessThan(MAX_GROWTH);
});

async function databaseConnections({ database: { pool } }: FuzzedSite): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::integer from pg_stat_activity where datname = current_database()",
  );
  return (rows[0]?.count ?? 0) - pool.totalCount;
}
