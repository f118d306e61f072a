import { createHistogram } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { type HttpConnection, openConnection } from "../../dev/harness/http-connection.ts";
import { findServer, residentMemory } from "../../dev/harness/processes.ts";
import { apiHeaders, readProgramme } from "../../dev/harness/programme.ts";
import { startSite, temporaryDataDir } from "../../dev/harness/running-site.ts";
import { expectWithin } from "../support/print-figure.ts";

/** In ms. The server's limits of an accepted request's wait in the two queues. */
const MAX_WAIT = 450;

/** The limit of the rest of the p99, in multiples of a quiet server's. */
const MAX_FACTOR = 100;

/** In MB. The limit of the growth of resident memory under the flood. */
const MAX_GROWTH = 200;
const running = new AsyncDisposableStack();
afterAll(() => running.disposeAsync());
const { origin, pid } = await startSite(await temporaryDataDir(running), running);
const server = findServer(pid);
const { texts } = await readProgramme(origin);
/** More searches than cache entries, so that none is a cache hit. */
const words = [...new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{Letter}{3,}/gu) ?? []))];
expect(words.length).toBeGreaterThan(1_000);

let searches = 0;
const search = (path: string) => () =>
  `${path}?search=${encodeURIComponent(words[searches++ % words.length] ?? "")}`;
const uncachedPage = { headers: { "accept-encoding": "br" }, next: search("/") };
const uncachedSearch = { headers: apiHeaders, next: search("/api/shows") };
const cachedPage = { headers: { "accept-encoding": "br" }, next: () => "/" };
type Requests = Pick<FloodOptions, "headers" | "next">;

/** In ms. The p99 of some visitors' requests on an otherwise quiet server. */
async function quietP99(requests: Requests): Promise<number> {
  return (await flood({ ...requests, connections: 4, rate: 50, seconds: 5 })).p99;
}

function expectQuickAnswers(what: string, { p99 }: FloodResult, quiet: number): void {
  expectWithin(`${what}, p99`, p99, { quiet, factor: MAX_FACTOR, limit: MAX_WAIT });
}

async function overload(requests: Requests, connections: number, meanwhile: () => Promise<unknown>) {
  const quiet = await quietP99(requests);
  await flood({ ...requests, connections: 4, seconds: 5 });
  const capacity = await flood({ ...requests, connections: 4, seconds: 10 });
  report("capacity", capacity);
  const before = residentMemory(server, "now");
  const options = { ...requests, connections, rate: 4 * capacity.answered, seconds: 20 };
  const [flooded] = await Promise.all([flood(options), meanwhile()]);
  report("at 4 times that", flooded);
  await expectRecovery(before);
  return { capacity, flooded, quiet };
}

async function expectRecovery(before: number): Promise<void> {
  const after = await flood({ ...cachedPage, connections: 1, rate: 50, seconds: 1 });
  expectQuickAnswers("cached pages right after a flood", after, await quietP99(cachedPage));
  const highest = residentMemory(server, "highest");
  console.log(`  memory: ${before.toFixed()} MB before, ${highest.toFixed()} MB at its highest`);
  expect(highest - before).toBeLessThan(MAX_GROWTH);
}

function report(what: string, { sent, answered, refused, failed, p50, p99, slowest }: FloodResult): void {
  console.log(
    `  ${what}: ${sent.toFixed()} sent, ${answered.toFixed()} answered and ${refused.toFixed()} refused a second, ${failed} failed; ` +
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`,
  );
}

test("renders pages within the limit or refuses them, and serves cached pages meanwhile", async () => {
  const cachedOptions = { ...cachedPage, connections: 4, rate: 50, seconds: 20 };
  const cachedResults: FloodResult[] = [];
  const cachedQuiet = await quietP99(cachedPage);
  const { capacity, flooded, quiet } = await overload(uncachedPage, 500, async () =>
    cachedResults.push(await flood(cachedOptions)),
  );
  for (const result of cachedResults) report("cached pages meanwhile", result);
  expect(flooded).toMatchObject({ failed: 0 });
  expectQuickAnswers("pages at 4 times the capacity", flooded, quiet);
  expect(flooded.refused).toBeGreaterThan(0);
  expect(flooded.answered).toBeGreaterThan(capacity.answered / 2);
  for (const result of cachedResults) {
    expect(result).toMatchObject({ failed: 0 });
    expectQuickAnswers("cached pages meanwhile", result, cachedQuiet);
    expect(result.refused / result.sent).toBeLessThan(flooded.refused / flooded.sent / 2);
  }
});

test("answers uncached searches of the API within the limit", async () => {
  const { capacity, flooded, quiet } = await overload(uncachedSearch, 500, async () => {});
  expect(flooded).toMatchObject({ failed: 0 });
  expectQuickAnswers("searches at 4 times the capacity", flooded, quiet);
  expect(flooded.answered).toBeGreaterThan(capacity.answered / 2);
});

test("serves cached pages within the limit on as many connections as it accepts", async () => {
  const before = residentMemory(server, "now");
  const quiet = await quietP99(cachedPage);
  for (const connections of [16, 64, 1_900]) {
    const flooded = await flood({ ...cachedPage, connections, seconds: 10 });
    report(`${connections} connections`, flooded);
    expect(flooded).toMatchObject({ failed: 0 });
    expectQuickAnswers(`cached pages on ${connections} connections`, flooded, quiet);
  }
  await expectRecovery(before);
});

interface FloodOptions {
  headers: Record<string, string>;
  next: () => string;
  connections: number;
  seconds: number;
  rate?: number;
}

type FloodResult = Awaited<ReturnType<typeof flood>>;

/** Returns counts per second, and the latencies of responses with 200, in ms. */
async function flood(options: FloodOptions) {
  const { headers, next, connections, seconds, rate = Number.POSITIVE_INFINITY } = options;
  const latencies = createHistogram();
  const count = { refused: 0, failed: 0 };
  const start = performance.now();
  const end = start + seconds * 1000;
  let scheduled = 0;
  let sent = 0;

  async function requestWhenDue(): Promise<void> {
    let connection = openConnection(origin, headers);
    for (let due = nextDue(); due < end; due = nextDue()) {
      const early = due - performance.now();
      if (early > 0) await wait(early);
      sent++;
      const since = performance.now();
      const status = await request(connection, next());
      if (status === 200) latencies.record(Math.max(1, Math.round((performance.now() - since) * 1000)));
      else if (status === 503) count.refused++;
      else count.failed++;
      if (status === null) connection = openConnection(origin, headers);
    }
    connection.close();
  }

  function nextDue(): number {
    const now = performance.now();
    return now < end ? Math.max(start + (scheduled++ / rate) * 1000, start) : end;
  }

  await Promise.all(Array.from({ length: connections }, requestWhenDue));
  const took = (performance.now() - start) / 1000;
  return {
    sent: sent / took,
    answered: latencies.count / took,
    refused: count.refused / took,
    failed: count.failed,
    p50: latencies.percentile(50) / 1000,
    p99: latencies.percentile(99) / 1000,
    slowest: latencies.max / 1000,
  };
}

async function request(connection: HttpConnection, path: string): Promise<number | null> {
  try {
    return await connection.get(path);
  } catch {
    connection.close();
    return null;
  }
}
