import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { FestivalStandIn } from "../../dev/festival/server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { type ProcessOptions, refreshInProcess } from "../../src/refresh/refresh-in-process.server.ts";
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
import { pretendRefreshed, startSite } from "../support/site.ts";

const program = new URL("../../build/server/refresh.js", import.meta.url);

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

/** A refresh in a process of its own. */
function refresh(options: Partial<ProcessOptions> = {}) {
  const { url, key, secret } = standIn;
  const api = { url, key, secret };
  const unlessSince = new Date(Date.now() - 1_000).toISOString();
  return refreshInProcess({
    program,
    database,
    api,
    log,
    signal: new AbortController().signal,
    unlessSince,
    ...options,
  });
}

/** The built site, which has reason to refresh at its start. */
function startRefreshingSite() {
  return startSite({
    DATABASE_URL: database.url,
    FESTIVAL_API_URL: standIn.url,
    FESTIVAL_API_KEY: standIn.key,
    FESTIVAL_API_SECRET: standIn.secret,
  });
}

/** A process that begins a recorded run, whose id it is given as the API's key, and then does something else than to refresh. */
async function misbehaving(deed: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), "front-row-refresh-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "process.mjs");
  const begin = `process.once("message", ({ api }) => process.send({ recordedAs: api.key }, () => { ${deed} }));`;
  await writeFile(path, begin);
  return pathToFileURL(path);
}

/** Has a process misbehave in the middle of a run. */
async function misbehave(deed: string, signal = new AbortController().signal) {
  const api = { url: "", key: await startRefresh(database.db), secret: "" };
  return refresh({ program: await misbehaving(deed), api, signal });
}

/** What `man 5 proc_pid_stat` has of a process, without its name: its state, its parent and so on. */
async function statOf(pid: number | string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The process that refreshes for another one. */
async function findRefreshing(parent = process.pid): Promise<number> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const [, itsParent] = await statOf(pid);
    if (Number(itsParent) === parent && (await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("refresh"))
      return Number(pid);
  }
  throw new Error("Nothing refreshes");
}

/** How long processors have worked for a process's program, in ms. */
async function processorTime(pid: number): Promise<number> {
  const [ns] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ");
  return Number(ns) / 1e6;
}

test("a refresh in a process of its own lists the whole programme, is recorded, and tells the site's log", async () => {
  const counts = { listed: 250, added: 250, changed: 0, removed: 0, returned: 0, skipped: 0 };
  expect(await refresh()).toEqual({ outcome: "succeeded", ...counts });
  expect(await listedIds(database.db)).toHaveLength(250);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "succeeded", ...counts }]);
  expect(lines).toMatchObject([{ level: 30, msg: "The shows were refreshed", pid: process.pid, ...counts }]);
});

test("what has been refreshed meanwhile is left as it is", async () => {
  await pretendRefreshed(database.db);
  const earlier = new Date(Date.now() - 60_000).toISOString();
  expect(await refresh({ unlessSince: earlier })).toEqual({ outcome: "current" });
});

test("the process logs no more than the site, and of an error no more than the site would", async () => {
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

test.runIf(process.platform === "linux")("the process lets those go first who answer, and rests", async () => {
  const held = holdSecondPage(standIn);
  const stopping = new AbortController();
  const refreshing = refresh({ signal: stopping.signal });
  await vi.waitUntil(() => standIn.requests.length > 0, { timeout: 10_000, interval: 1 });
  const pid = await findRefreshing();
  const began = { at: performance.now(), used: await processorTime(pid) };
  await held.reached();
  const elapsed = performance.now() - began.at;
  expect(getPriority(pid)).toBe(getPriority() + 10);
  // What it has done since it rested, asking for the second page, comes on top.
  expect((await processorTime(pid)) - began.used).toBeLessThan(0.1 * elapsed + 10);
  stopping.abort();
  await refreshing;
});

test("a signal ends the process in the middle of its run, which is recorded as interrupted", async () => {
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

test("a process that does not hear the signal is ended all the same", async () => {
  const stopping = new AbortController();
  const refreshing = misbehave("for (;;);", stopping.signal);
  await vi.waitUntil(async () => (await refreshRows(database.db)).length === 1);
  stopping.abort();
  const began = performance.now();
  expect(await refreshing).toMatchObject({ outcome: "interrupted" });
  expect(performance.now() - began).toBeLessThan(3_000);
});

test.each([
  ["throws", "throw new Error('a mishap')", "1", "a mishap"],
  ["runs out of memory", "const held = []; for (;;) held.push(Array(10_000_000).fill(0));", "SIGABRT", "out of memory"],
  ["ends itself", "process.exit(3);", "3", ""],
])("a process that %s is a refresh that failed, and recorded as one", async (_, deed, end, lastWords) => {
  const reason = `Its process ended with ${end}.`;
  expect(await misbehave(deed)).toEqual({ outcome: "failed", reason });
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "failed", error: reason }]);
  const died = { level: 50, msg: "The refresh's process died", reason, lastWords: expect.stringContaining(lastWords) };
  expect(lines).toMatchObject([died]);
});

test("what a process says that dies is of its error what the site would log", async () => {
  const unheardOf: typeof log = Object.create(log, { level: { value: "unheard-of" } });
  expect(await refresh({ log: unheardOf })).toMatchObject({ outcome: "failed" });
  const [died] = lines;
  expect(JSON.parse(String(died?.lastWords))).toEqual({ type: "Error", stack: expect.stringContaining("unheard-of") });
});

test("a process that cannot be begun is a refresh that failed", async () => {
  const execPath = process.execPath;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  process.execPath = "/nowhere/node";
  expect(await refresh()).toEqual({ outcome: "failed", reason: expect.stringContaining("could not be begun") });
});

test("the built site refreshes at its start, in a process of its own, and ends while it does", async () => {
  const site = await startRefreshingSite();
  await expect.poll(async () => (await (await site.api("/api/shows")).json()).total, { timeout: 20_000 }).toBe(250);
  // The list may be there before the process's word has come.
  await expect.poll(() => site.log.map((line) => JSON.parse(line).msg)).toContain("The shows were refreshed");
  await emptyTables(database.db);
  const held = holdSecondPage(standIn);
  expect(await site.end()).toBe(0);
  const again = await startRefreshingSite();
  await held.reached();
  expect(await again.end()).toBe(0);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }]);
});

test("the process ends its run when the site is no more", async () => {
  const held = holdSecondPage(standIn);
  const site = await startRefreshingSite();
  await held.reached();
  expect(await site.end("SIGKILL")).toBe("SIGKILL");
  await expect.poll(() => refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }]);
});
