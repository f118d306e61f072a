import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { bareEnvironment } from "../support/environment.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { emptyTables, holdSecondPage, listedIds, refreshRows, startSmallFestival } from "../support/refreshes.ts";

const script = fileURLToPath(new URL("../../scripts/refresh.ts", import.meta.url));

let database: Database;
let fake: FakeFestivalApi;
let programme: FestivalEvent[];
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ fake, programme } = await startSmallFestival());
  await emptyTables(database.db);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await fake.close();
});

/** Runs the command, in a folder without settings; `ended` has its exit code or signal and what it said. */
function command(args: string[] = [], variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: tmpdir(),
    env: {
      ...bareEnvironment(),
      DATABASE_URL: database.url,
      FESTIVAL_API_URL: fake.url,
      FESTIVAL_API_KEY: fake.key,
      FESTIVAL_API_SECRET: fake.secret,
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  const out = readText(child.stdout);
  const err = readText(child.stderr);
  const ended = once(child, "close").then(async ([code, signal]) => ({
    exit: code ?? signal,
    out: await out,
    err: await err,
  }));
  return { child, ended };
}

test("the command refreshes the shows and says in one line what that did", async () => {
  await fake.close();
  ({ fake } = await startSmallFestival(2050));
  const line = "2,050 shows listed: 2,050 added, 0 changed, 0 removed, 0 returned, 0 records skipped.\n";
  const progress = [1, 2].map((thousands) => `${thousands},000 of 2,050 shows fetched\n`).join("");
  expect(await command().ended).toEqual({ exit: 0, out: line, err: progress });
  expect(await listedIds(database.db)).toHaveLength(2050);
});

test("a skipped record is reported with its id", async () => {
  const id = idOf(programme[0] ?? expect.fail());
  fake.faults.spoiled.set(id, "no title");
  const { exit, out, err } = await command().ended;
  expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining("1 record skipped.\n") });
  expect(err).toBe(`A festival record was skipped: ${id}: it has no title\n`);
});

test("too much shrinking is refused, and overridden by --allow-shrink", async () => {
  await command().ended;
  fake.faults.shrink = 0.5;
  const refused = await command().ended;
  expect(refused).toMatchObject({ exit: 1, out: "" });
  expect(refused.err).toMatch(/^Refused: 125 of 250 .*--allow-shrink.*\n$/);
  expect(await command(["--allow-shrink"]).ended).toMatchObject({
    exit: 0,
    out: "125 shows listed: 0 added, 0 changed, 125 removed, 0 returned, 0 records skipped.\n",
  });
});

test("a failure is one line that holds no secret", async () => {
  const { exit, out, err } = await command([], { FESTIVAL_API_SECRET: "not-the-secret" }).ended;
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  expect(err).toMatch(/^The refresh failed, .*HTTP 403.*\n$/);
  expect(err).not.toContain("not-the-secret");
});

test("without credentials it names the variables to set", async () => {
  const { exit, out, err } = await command([], { FESTIVAL_API_KEY: "", FESTIVAL_API_SECRET: "" }).ended;
  expect({ exit, out }).toEqual({ exit: 1, out: "" });
  expect(err).toMatch(/^.* FESTIVAL_API_KEY and FESTIVAL_API_SECRET\.\n$/);
});

test("settings that make no sense and a database that is not there are said in a line", async () => {
  expect(await command([], { PORT: "many" }).ended).toMatchObject({
    exit: 1,
    out: "",
    err: expect.stringMatching(/PORT/),
  });
  const nowhere = new URL("/nowhere", database.url).href;
  const line = expect.stringMatching(/^The database .*"nowhere" does not exist.*\n$/);
  expect(await command([], { DATABASE_URL: nowhere }).ended).toEqual({ exit: 1, out: "", err: line });
  expect(fake.requests).toEqual([]);
});

test("it explains itself when asked, and when asked for something that it cannot do", async () => {
  const usage = expect.stringContaining("npm run refresh [-- --allow-shrink]");
  expect(await command(["--help"]).ended).toEqual({ exit: 0, out: usage, err: "" });
  expect(await command(["--force"]).ended).toEqual({ exit: 2, out: "", err: usage });
  expect(fake.requests).toEqual([]);
});

test("while another refresh is running it says so", async () => {
  const hold = holdSecondPage(fake);
  const first = command();
  await hold.reached();
  expect(await command().ended).toMatchObject({
    exit: 1,
    out: "",
    err: expect.stringMatching(/^Another refresh is running.*\n$/),
  });
  first.child.kill("SIGKILL");
  await first.ended;
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s stops it, with its run recorded as interrupted", async (signal, exit) => {
  const hold = holdSecondPage(fake);
  const { child, ended } = command();
  await hold.reached();
  child.kill(signal);
  expect(await ended).toMatchObject({ exit, out: "", err: "Stopped; the list stays as it was.\n" });
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted", finished_at: expect.any(Date) }]);
  expect(await listedIds(database.db)).toEqual([]);
});

test("killed in the middle it leaves nothing half done, and the next refresh works", async () => {
  const hold = holdSecondPage(fake);
  const { child, ended } = command();
  await hold.reached();
  child.kill("SIGKILL");
  expect(await ended).toMatchObject({ exit: "SIGKILL" });
  expect(await listedIds(database.db)).toEqual([]);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: null, finished_at: null }]);
  hold.goOn();
  const log = pino({ level: "silent" });
  // The server notices the end of the killed session a moment later, and frees its lock.
  const next = await vi.waitUntil(async () => {
    const outcome = await refreshShows({ db: database.db, api: fake, log });
    return outcome.outcome !== "busy" && outcome;
  }, 20_000);
  expect(next).toMatchObject({ outcome: "succeeded", listed: 250 });
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }, { outcome: "succeeded" }]);
});
