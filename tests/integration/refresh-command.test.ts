import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { runRefreshCommand } from "../../src/cli/refresh.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { captureOutput } from "../support/command-output.ts";
import { bareEnvironment } from "../support/environment.ts";
import { givenChanged, givenReview } from "../support/given.ts";
import {
  emptyTables,
  festivalSettings,
  holdSecondPage,
  listedIds,
  refreshRows,
  startSmallFestival,
} from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

const script = fileURLToPath(new URL("../../dev/refresh.ts", import.meta.url));

const database = await setUpDatabase();
let fake: FakeFestivalApi;
let programme: FestivalEvent[];

beforeEach(async () => {
  ({ fake, programme } = await startSmallFestival());
  await emptyTables(database.db);
});
afterEach(() => fake.close());

const settings = () => ({ DATABASE_URL: database.url, ...festivalSettings(fake) });

/** Runs the command in this process. */
function run(args: string[] = [], variables: Record<string, string> = {}) {
  const readConfig = () => parseConfig({ ...settings(), ...variables });
  return captureOutput(() => runRefreshCommand(args, async () => null, readConfig));
}

/** Runs it in its own process, in a folder without `.env`. `exit` is its code or signal. */
function runProcess(variables: Record<string, string> = {}) {
  const env = { ...bareEnvironment(), ...settings(), ...variables };
  const child = spawn(process.execPath, [script], { cwd: tmpdir(), env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const all = Promise.all([once(child, "close"), readText(child.stdout), readText(child.stderr)]);
  return { child, ended: all.then(([[code, signal], out, err]) => ({ exit: code ?? signal, out, err })) };
}

const failed = (line: RegExp) => ({ exit: 1, out: "", err: expect.stringMatching(line) });

test("refreshes the shows and prints the counts in one line", async () => {
  await fake.close();
  ({ fake } = await startSmallFestival(1050));
  const line = "1,050 shows listed: 1,050 added, 0 changed, 0 removed, 0 returned, 0 records skipped.\n";
  const out = expect.stringMatching(new RegExp(`^The listings' warnings were read: .*\n${line}$`));
  expect(await run()).toEqual({ exit: 0, out, err: "" });
  expect(await listedIds(database.db)).toHaveLength(1050);
});

test("on a terminal, a bar shows how many shows were fetched", async () => {
  await fake.close();
  ({ fake } = await startSmallFestival(1050));
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const { exit, err } = await run().finally(() => (process.stderr.isTTY = isTTY));
  expect(exit).toBe(0);
  expect(err).toMatch(/Fetching the programme .* 100\/1050 shows/);
});

test("reports the listings' warnings and new phrases, like the server's log", async () => {
  for (const show of programme) show.warnings = null;
  const [first = expect.fail(), second = expect.fail(), third = expect.fail()] = programme;
  first.warnings = "Strobes, Audience participation";
  second.warnings = "audience Participaton";
  const report = (words: string) => expect.stringContaining(`The listings' warnings were read: ${words}\n`);
  expect(await run()).toMatchObject({
    out: report("warned 2; announced 1; newPhrases Audience participation, Strobes, audience Participaton"),
    err: "",
  });
  third.warnings = "STROBES,\u202eKazoos";
  expect(await run()).toMatchObject({ out: report("warned 3; announced 1; newPhrases Kazoos") });
  expect(await run()).toMatchObject({ out: report("warned 3; announced 1") });
});

test("reports what else the server would log: skipped records, cut texts, retries, gaps", async () => {
  const [id = "", other = ""] = programme.map(idOf);
  fake.faults.spoiled = new Map([
    [id, "long title"],
    [other, "no title"],
  ]);
  fake.faults.rules = [{ kind: "total", claim: 251 }];
  const { exit, out, err } = await run();
  expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining("1 record skipped.\n") });
  expect(err).toContain(`A festival record was skipped: ${other}: it has no title\n`);
  expect(err).toContain(`A festival record was cut: texts too long: ${id}: cut title\n`);
  expect(err).toContain("The festival's list came incomplete; fetching it again: seen 250; total 251\n");
  expect(err).toContain("The festival counts more shows than it sends; its list was taken: missing 1\n");
});

test("reports a reviewed show that left, with its likely successor and with controls of direction escaped", async () => {
  const show = Object.assign(programme[0] ?? expect.fail(), { title: "\u202eSit Back" });
  await run();
  const left = idOf(show);
  await givenReview(database.db, { show_id: left });
  // As a version before this one stored it.
  await givenChanged(database.db, "shows", { title: "Sit\u202e Back" }, { id: left });
  Object.assign(show, { id: "1".repeat(40) });
  const { exit, out, err } = await run();
  expect({ exit, out }).toEqual({ exit: 0, out: expect.stringContaining("1 added, 0 changed, 1 removed") });
  const reason = `“Sit\\u{202e} Back” has 1 review; it is probably ${show.id} now, and npm run admin -- move-reviews can move them`;
  expect(err).toBe(`A reviewed show is not in the list any more: ${left}: ${reason}\n`);
});

test("refuses a loss above the limit unless --allow-shrink is given", async () => {
  await run();
  fake.faults.shrink = 0.5;
  expect(await run()).toEqual(failed(/^Refused: 125 of 250 .*--allow-shrink.*\n$/));
  const line = "\n125 shows listed: 0 added, 0 changed, 125 removed, 0 returned, 0 records skipped.\n";
  expect(await run(["--allow-shrink"])).toMatchObject({ exit: 0, out: expect.stringContaining(line) });
});

test.each([
  ["a refusal of the API, without secrets", { FESTIVAL_API_SECRET: "x-secret" }, /^The refresh failed, (?!.*x-secret).*HTTP 403.*\n$/],
  ["bad settings", { PORT: "many" }, /PORT/],
  ["an API of another machine over http", { FESTIVAL_API_URL: "http://api.example" }, /^FESTIVAL_API_URL.*https/],
  ["missing credentials", { FESTIVAL_API_KEY: "", FESTIVAL_API_SECRET: "" }, /^.* FESTIVAL_API_KEY and FESTIVAL_API_SECRET\.\n$/],
  ["a missing database", { DATABASE_URL: new URL("/nowhere", database.url).href }, /^The database .*"nowhere" does not exist.*\n$/],
])("reports %s, and refreshes nothing", async (_what, variables, line) => {
  expect(await run([], variables)).toEqual(failed(line));
}); // biome-ignore format: a table

test("prints its usage for --help and for unknown options", async () => {
  const usage = expect.stringContaining("npm run refresh [-- --allow-shrink]");
  expect(await run(["--help"])).toEqual({ exit: 0, out: usage, err: "" });
  expect(await run(["--force"])).toEqual({ exit: 2, out: "", err: usage });
  expect(fake.requests).toEqual([]);
});

testRows<[NodeJS.Signals, number]>(1, [
  ["SIGTERM", 143],
  ["SIGINT", 130],
])("%s stops it, and its run is recorded as interrupted", async (signal, exit) => {
  const hold = holdSecondPage(fake);
  const { child, ended } = runProcess();
  await hold.reached();
  child.kill(signal);
  expect(await ended).toMatchObject({ exit, out: "", err: "Stopped; the list stays as it was.\n" });
  expect(await refreshRows(database.db)).toMatchObject([
    { outcome: "interrupted", finished_at: expect.any(Date) },
  ]);
  expect(await listedIds(database.db)).toEqual([]);
});

test("fails while another refresh is running; a killed refresh publishes nothing, and the next one works", async () => {
  const hold = holdSecondPage(fake);
  const { child, ended } = runProcess();
  await hold.reached();
  expect(await run()).toEqual(failed(/^Another refresh is running.*\n$/));
  child.kill("SIGKILL");
  expect(await ended).toMatchObject({ exit: "SIGKILL" });
  expect(await listedIds(database.db)).toEqual([]);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: null, finished_at: null }]);
  hold.release();
  const log = pino({ level: "silent" });
  // PostgreSQL notices the killed session and releases its lock a moment later.
  const next = await vi.waitUntil(async () => {
    const outcome = await refreshShows({ db: database.db, api: fake, log });
    return outcome.outcome !== "busy" && outcome;
  }, 20_000);
  expect(next).toMatchObject({ outcome: "succeeded", listed: 250 });
  const outcomes = (await refreshRows(database.db)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["interrupted", "succeeded"]);
});
