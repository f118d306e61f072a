import { readdir, readFile } from "node:fs/promises";
import { getPriority } from "node:os";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { FestivalStandIn } from "../../dev/festival/server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { refreshInThread, type ThreadOptions } from "../../src/refresh/refresh-in-thread.server.ts";
import { startRefresh } from "../../src/refresh/refresh-queries.server.ts";
import { createTestDatabase } from "../support/postgres.ts";
import {
  emptyTables,
  holdSecondPage,
  listedIds,
  recordingLog,
  refreshRows,
  startSmallFestival,
} from "../support/refreshes.ts";
import { startSite } from "../support/site.ts";

const program = new URL("../../src/refresh/refresh-thread.server.ts", import.meta.url);

let database: Database;
let standIn: FestivalStandIn;
let log: ReturnType<typeof recordingLog>["log"];
let lines: ReturnType<typeof recordingLog>["lines"];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ standIn } = await startSmallFestival());
  ({ log, lines } = recordingLog());
  await emptyTables(database.db);
});
afterEach(() => standIn.close());

/** A refresh in a thread of its own. */
function refresh(options: Partial<ThreadOptions> = {}) {
  const { url, key, secret } = standIn;
  const api = { url, key, secret };
  const unlessSince = new Date(Date.now() - 1_000).toISOString();
  return refreshInThread({
    program,
    database,
    api,
    log,
    signal: new AbortController().signal,
    unlessSince,
    ...options,
  });
}

/** A thread that begins a recorded run, whose id it is given as the API's key, and then does something else than to refresh. */
function misbehaving(deed: string): URL {
  const begin = 'import { parentPort, workerData } from "node:worker_threads";';
  const record = "parentPort.postMessage({ recordedAs: workerData.api.key });";
  return new URL(`data:text/javascript,${encodeURIComponent(`${begin}${record}${deed}`)}`);
}

/** Has a thread misbehave in the middle of a run. */
async function misbehave(deed: string, signal = new AbortController().signal) {
  const api = { url: "", key: await startRefresh(database.db), secret: "" };
  return refresh({ program: misbehaving(deed), api, signal });
}

/** The priority of each of this process's threads, as `man 5 proc_pid_stat` has it; smaller is sooner. */
async function prioritiesOfThreads(): Promise<number[]> {
  const threads = await readdir("/proc/self/task");
  const stats = await Promise.all(threads.map((thread) => readFile(`/proc/self/task/${thread}/stat`, "utf8")));
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(")")).split(" ")[17]));
}

test("a refresh in a thread lists the whole programme, is recorded, and tells the site's log", async () => {
  const counts = { listed: 250, added: 250, changed: 0, removed: 0, returned: 0, skipped: 0 };
  expect(await refresh()).toEqual({ outcome: "succeeded", ...counts });
  expect(await listedIds(database.db)).toHaveLength(250);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "succeeded", ...counts }]);
  expect(lines).toMatchObject([{ level: 30, msg: "The shows were refreshed", pid: process.pid, ...counts }]);
});

test("what has been refreshed meanwhile is left as it is", async () => {
  await refresh();
  const earlier = new Date(Date.now() - 60_000).toISOString();
  expect(await refresh({ unlessSince: earlier })).toEqual({ outcome: "current" });
});

test("a thread logs no more than the site, and of an error no more than the site would", async () => {
  log.level = "error";
  const api = { url: standIn.url, key: standIn.key, secret: "wrong" };
  const outcome = await refresh({ api });
  const reason = expect.stringContaining("HTTP 40");
  expect(outcome).toEqual({ outcome: "failed", reason });
  expect(lines).toMatchObject([{ level: 50, msg: "The refresh failed; the list stays as it was", reason }]);
  await refresh({ database: { db: database.db, url: "postgres://nobody:never-tell@127.0.0.1:9/none" } });
  expect(lines).toMatchObject([
    {},
    { level: 50, msg: "The refresh could not begin", err: { type: "Error", code: "ECONNREFUSED" } },
  ]);
  expect(JSON.stringify(lines)).not.toContain("never-tell");
});

test.runIf(process.platform === "linux")("the thread lets those go first who answer", async () => {
  const held = holdSecondPage(standIn);
  const stopping = new AbortController();
  const refreshing = refresh({ signal: stopping.signal });
  await held.reached();
  const before = getPriority();
  expect(await prioritiesOfThreads()).toContain(before + 10);
  stopping.abort();
  await refreshing;
  expect(getPriority()).toBe(before);
  expect(await prioritiesOfThreads()).not.toContain(before + 10);
});

test("a signal ends the thread in the middle of its run, which is recorded as interrupted", async () => {
  const held = holdSecondPage(standIn);
  const stopping = new AbortController();
  const refreshing = refresh({ signal: stopping.signal });
  await held.reached();
  const began = performance.now();
  stopping.abort();
  expect(await refreshing).toMatchObject({ outcome: "interrupted" });
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }]);
  expect(await listedIds(database.db)).toEqual([]);
});

test("a thread that does not hear the signal is ended all the same", async () => {
  const stopping = new AbortController();
  const refreshing = misbehave("for (;;);", stopping.signal);
  await vi.waitUntil(async () => (await refreshRows(database.db)).length === 1);
  stopping.abort();
  const began = performance.now();
  expect(await refreshing).toMatchObject({ outcome: "interrupted" });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test.each([
  ["throws", "throw new Error('a mishap')", "a mishap"],
  ["runs out of memory", "const held = []; for (;;) held.push(Array(100_000).fill({}));", "memory"],
  ["ends itself", "process.exit(3);", "without a word"],
])("a thread that %s is a refresh that failed, and recorded as one", async (_, deed, reason) => {
  const outcome = await misbehave(deed);
  expect(outcome).toEqual({ outcome: "failed", reason: expect.stringContaining(reason) });
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "failed", error: expect.stringContaining(reason) }]);
});

test("the built site refreshes at its start, in a thread, and ends while it does", async () => {
  const site = await startSite({
    DATABASE_URL: database.url,
    FESTIVAL_API_URL: standIn.url,
    FESTIVAL_API_KEY: standIn.key,
    FESTIVAL_API_SECRET: standIn.secret,
  });
  await expect.poll(async () => (await (await site.api("/api/shows")).json()).total, { timeout: 20_000 }).toBe(250);
  // The list may be there before the thread's word has come.
  await expect.poll(() => site.log.map((line) => JSON.parse(line).msg)).toContain("The shows were refreshed");
  await emptyTables(database.db);
  const held = holdSecondPage(standIn);
  expect(await site.end()).toBe(0);
  const again = await startSite({
    DATABASE_URL: database.url,
    FESTIVAL_API_URL: standIn.url,
    FESTIVAL_API_KEY: standIn.key,
    FESTIVAL_API_SECRET: standIn.secret,
  });
  await held.reached();
  expect(await again.end()).toBe(0);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }]);
});
