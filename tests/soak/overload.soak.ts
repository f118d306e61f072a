import { afterAll, beforeAll, expect, test } from "vitest";
import { findServer, residentMemory } from "../../dev/harness/processes.ts";
import { apiHeaders, readProgramme } from "../../dev/harness/programme.ts";
import { startSite, temporaryDataDir } from "../../scripts/running-site.ts";
import { type FloodOptions, type FloodResult, flood } from "./flood.ts";

/** At 4 times the load that the server can carry, 99 of 100 answers come within this time, in ms. */
const PROMISED = 1_000;

/** What memory may grow by under the flood, in MB. */
const ROOM = 200;

const running = new AsyncDisposableStack();
let origin: string;
let server: number;
/** More different words than answers are kept: none is found in the cache. */
let words: string[];

beforeAll(async () => {
  const site = await startSite(await temporaryDataDir(running), running);
  origin = site.origin;
  server = findServer(site.pid);
  const { texts } = await readProgramme(origin);
  words = [...new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{Letter}{3,}/gu) ?? []))];
  expect(words.length).toBeGreaterThan(1_000);
}, 10 * 60_000);
afterAll(() => running.disposeAsync());

let asked = 0;
const word = () => words[asked++ % words.length] ?? "";
const page = { headers: { "accept-encoding": "br" }, next: () => `/?search=${encodeURIComponent(word())}` };
const api = { headers: apiHeaders, next: () => `/api/shows?search=${encodeURIComponent(word())}` };
const kept = { headers: { "accept-encoding": "br" }, next: () => "/" };

/** Finds what the server can carry, then asks for four times as much on so many connections. */
async function overload(
  what: Pick<FloodOptions, "headers" | "next">,
  connections: number,
  beside: () => Promise<unknown>,
) {
  await flood(origin, { ...what, connections: 4, seconds: 5 });
  const carried = await flood(origin, { ...what, connections: 4, seconds: 10 });
  tell("carries", carried);
  const before = residentMemory(server, "now");
  const demand = { ...what, connections, rate: 4 * carried.answered, seconds: 20 };
  const [flooded] = await Promise.all([flood(origin, demand), beside()]);
  tell("at 4 times that", flooded);
  await expectRecovery(before);
  return { carried, flooded };
}

/** Right after a flood somebody is answered, and what the flood took is bounded. */
async function expectRecovery(before: number): Promise<void> {
  const answer = await fetch(origin, { signal: AbortSignal.timeout(PROMISED) });
  expect(answer.status).toBe(200);
  const highest = residentMemory(server, "highest");
  console.log(`  memory: ${before.toFixed()} MB before, ${highest.toFixed()} MB at its highest`);
  expect(highest - before).toBeLessThan(ROOM);
}

function tell(what: string, { sent, answered, refused, failed, p50, p99, slowest }: FloodResult): void {
  console.log(
    `  ${what}: ${sent.toFixed()} asked, ${answered.toFixed()} answered and ${refused.toFixed()} refused a second, ${failed} failed; ` +
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`,
  );
}

test("pages that have to be rendered: what is answered is answered soon, the rest refused; kept pages come", async () => {
  const asking = { ...kept, connections: 4, rate: 50, seconds: 20 };
  const beside: FloodResult[] = [];
  const { carried, flooded } = await overload(page, 500, async () => beside.push(await flood(origin, asking)));
  for (const found of beside) tell("kept pages meanwhile", found);
  expect(flooded).toMatchObject({ failed: 0 });
  expect(flooded.p99).toBeLessThan(PROMISED);
  expect(flooded.refused).toBeGreaterThan(0);
  expect(flooded.answered).toBeGreaterThan(carried.answered / 2);
  for (const found of beside) {
    expect(found).toMatchObject({ failed: 0 });
    expect(found.p99).toBeLessThan(PROMISED);
    expect(found.refused / found.sent).toBeLessThan(flooded.refused / flooded.sent / 2);
  }
});

test("searches by the API that have to be made: what is answered is answered soon", async () => {
  const { carried, flooded } = await overload(api, 500, async () => {});
  expect(flooded).toMatchObject({ failed: 0 });
  expect(flooded.p99).toBeLessThan(PROMISED);
  expect(flooded.answered).toBeGreaterThan(carried.answered / 2);
});

test("kept pages, asked for on as many connections as there may be: all of them are answered soon", async () => {
  const before = residentMemory(server, "now");
  for (const connections of [16, 64, 1_900]) {
    const flooded = await flood(origin, { ...kept, connections, seconds: 10 });
    tell(`${connections} connections`, flooded);
    expect(flooded).toMatchObject({ failed: 0 });
    expect(flooded.p99).toBeLessThan(PROMISED);
  }
  await expectRecovery(before);
});
