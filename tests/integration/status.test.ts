import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { closeAtOnce, listenOnLoopback } from "../../dev/loopback-server.ts";
import { checkConfig } from "../../src/cli/check-config.ts";
import { buildInfo } from "../../src/config/build-info.server.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { notifyOperator } from "../../src/moderation/store/notify-operator.server.ts";
import { runAdmin, runAdminProcess } from "../support/admin.ts";
import { captureOutput } from "../support/command-output.ts";
import {
  ago,
  givenChanged,
  givenDeleted,
  givenEarlier,
  givenNone,
  givenRefresh,
  givenReport,
  givenReportReason,
  givenReview,
  givenShows,
  givenUser,
} from "../support/given.ts";
import { givenNoJobs } from "../support/job-queue.ts";
import { decide } from "../support/queue.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { auditRows, storedRows } from "../support/stored.ts";

const database = await setUpDatabase();
const { db, url } = database;
const folder = await setUpFolder();
const webhook = { MODERATION_WEBHOOK_URL: "http://127.0.0.1:9/" };

let author_id: string;
beforeEach(async () => {
  await givenNone(db, "shows", "users", "refreshes", "audit", "moderation_counts", "backups");
  await givenNoJobs(db);
  await givenShows(db, [{}, {}, { listed: false }, { year: 2024 }]);
  author_id = await givenUser(db, { email: "wren@people.example" });
  await givenRefresh(db);
});

async function readStatus(variables: Record<string, string> = { DATABASE_URL: url }) {
  const { out, err, exit } = await runAdmin(database, ["status", "--json"], variables);
  const status = JSON.parse(out);
  const waiting = status.waiting.map(({ name, command }: Record<string, string>) => `${name}: ${command}`);
  expect([exit, err]).toEqual(
    waiting.length > 0 ? [1, expect.stringMatching(/^\d things? waits? for you\.\n$/)] : [0, ""],
  );
  return { ...status, waiting, texts: status.waiting.map(({ text }: { text: string }) => text) };
}

const backUp = (at = new Date()) => db.insertInto("backups").values({ finished_at: at }).execute();

test("status names what waits for the operator, with the command that solves it, until it is solved", async () => {
  expect((await readStatus()).waiting).toEqual([]);

  await givenReview(db, { user_id: author_id });
  const backup = ["backup: npm run admin -- backup <file>"];
  const never = ["There are reviews, and no backup was made"];
  expect(await readStatus()).toMatchObject({ waiting: backup, texts: never });
  await backUp(ago({ hours: 37 }));
  expect(await readStatus()).toMatchObject({
    waiting: backup,
    texts: ["The last backup is more than 36 hours old"],
  });
  await backUp(ago({ hours: 35 }));
  expect((await readStatus()).waiting).toEqual([]);

  const refresh = ["refresh: npm run refresh"];
  for (const outcome of ["failed", "interrupted"] as const) {
    await givenRefresh(db, { outcome });
    const texts = [`The last refresh did not succeed (${outcome})`];
    expect(await readStatus()).toMatchObject({ waiting: refresh, texts });
  }
  await givenRefresh(db, { outcome: "refused" });
  expect((await readStatus()).waiting).toEqual(["refresh: npm run refresh -- --allow-shrink"]);
  await givenRefresh(db);
  await givenEarlier(db, "refreshes", ["started_at", "finished_at"], { hours: 13 });
  expect((await readStatus()).waiting).toEqual([]);
  await givenEarlier(db, "refreshes", ["started_at", "finished_at"], { hours: 2 });
  const texts = ["The last refresh is more than 14 hours old"];
  expect(await readStatus()).toMatchObject({ waiting: refresh, texts });
  await givenNone(db, "refreshes");
  expect(await readStatus()).toMatchObject({ waiting: refresh, texts: ["The shows were never refreshed"] });
  await givenRefresh(db);

  await givenChanged(db, "shows", { year: YEAR - 1 });
  for (const outcome of ["succeeded", "refused", "failed"] as const) {
    await givenRefresh(db, { outcome });
    expect(await readStatus()).toMatchObject({ last_success_at: null, waiting: refresh });
  }
  const { out } = await runAdmin(database, ["status"], { DATABASE_URL: url });
  expect(out).toContain(`- The list is empty: no show of ${YEAR} is in it:\n`);
  await givenRefresh(db);
  expect((await runAdmin(database, ["status"], { DATABASE_URL: url })).out).toContain(
    "succeeded for another year,",
  );
  await givenChanged(db, "shows", { year: YEAR });

  // A file system without space, which Linux and macOS have.
  const dataDir = existsSync("/proc/self") ? "/proc" : "/dev";
  const full = { disk_free_bytes: 0, waiting: ["disk: df -h"] };
  expect(await readStatus({ DATA_DIR: dataDir })).toMatchObject(full);
  expect(await readStatus()).toMatchObject({ disk_free_bytes: null });
  expect((await readStatus({ DATA_DIR: tmpdir() })).disk_free_bytes).toBeGreaterThan(0);

  const id = await givenReport(db, { author_id, opened_at: ago({ hours: 3 }) });
  const report = "open_reports: npm run admin -- queue-link <your name>";
  expect(await readStatus()).toMatchObject({ waiting: [report], waiting_messages: null });
  const messages = "messages: sudo journalctl -u front-row -o cat | grep webhook";
  const withWebhook = () => readStatus({ DATABASE_URL: url, ...webhook });
  expect(await withWebhook()).toMatchObject({ waiting: [report, messages], waiting_messages: 1 });
  await notifyOperator(db);
  expect(await withWebhook()).toMatchObject({ waiting: [report], waiting_messages: 1 });
  await sql`update graphile_worker._private_jobs set last_error = 'it was answered with 404'`.execute(db);
  expect((await withWebhook()).waiting).toEqual([report, messages]);
  await decide(db, id, "keep");
  expect(await withWebhook()).toMatchObject({ waiting: [], waiting_messages: 0 });
});

test("status names a newer version in one line, if RELEASES_URL is set", async () => {
  const own = buildInfo.version;
  const answers = { body: "", status: 200 };
  const server = createServer((_, response) => response.writeHead(answers.status).end(answers.body));
  const RELEASES_URL = await listenOnLoopback(server, 0);
  onTestFinished(() => closeAtOnce(server));
  const latest = (tag_name: string) => JSON.stringify({ tag_name, name: "A release" });
  const newer = "Version 99.10.0 is there: upgrade to it";
  const unknown = /^Whether there is a newer version is not known: RELEASES_URL was not read \(.+\)$/;
  for (const [body, expected, status = 200] of [
    [latest("v99.10.0"), newer],
    [latest("99.10.0"), newer],
    [latest(`v${own}`), null],
    [latest("v0.0.9"), null],
    [latest("nightly"), null],
    ['{"message":"Not Found"}', expect.stringMatching(unknown)],
    ["<html>", expect.stringMatching(unknown)],
    [latest("v99.10.0"), expect.stringMatching(unknown), 404],
  ] as const) {
    Object.assign(answers, { body, status });
    expect((await readStatus({ DATABASE_URL: url, RELEASES_URL })).newer_version).toEqual(expected);
    const { out } = await runAdmin(database, ["status"], { DATABASE_URL: url, RELEASES_URL });
    expect(out.split("\n")[2]).toEqual(expected ?? "");
  }
  expect((await readStatus()).newer_version).toBeNull();
});

test("status counts reports, objections and decisions of each year, also after their deletion", async () => {
  const note_id = await givenReview(db, { user_id: author_id, notes: "Wonderful." });
  const report_id = await givenReport(db, { author_id, note_id });
  const reporter_id = await givenUser(db);
  await givenReportReason(db, { report_id, note_id, reporter_id });
  await givenReportReason(db, { report_id, note_id });
  await givenChanged(db, "reports", { anonymous_count: 1 });
  await decide(db, report_id, "hide");
  await givenChanged(db, "reports", { objection: "Why?", objected_at: new Date(), decided_at: null });
  const kept = await decide(db, report_id, "keep");
  expect((await runAdmin(database, ["undo", kept])).exit).toBe(0);
  const year = new Date().getUTCFullYear();
  const years = [{ year, reports: 2, objections: 1, decisions: { hide: 1 } }];
  expect((await readStatus()).years).toEqual(years);
  await givenDeleted(db, "users", { id: author_id });
  await db.insertInto("moderation_counts").values({ year: 2025, event: "ban", count: 1_000 }).execute();
  expect((await readStatus()).years).toEqual([
    { year: 2025, reports: 0, objections: 0, decisions: { ban: 1_000 } },
    ...years,
  ]);
});

test("status prints aligned lines of at most 80 columns, and its JSON has the documented names", async () => {
  await givenReview(db, { user_id: author_id, notes: "Hush.", hidden_rule: "personal_data" });
  await givenReview(db, { user_id: author_id, show_id: "show-2" });
  await givenEarlier(db, "reviews", ["created_at"], { days: 2 }, { show_id: "show-2" });
  await givenReport(db, { author_id, opened_at: new Date("2025-08-02T19:30:15Z") });
  await givenRefresh(db, { finished_at: new Date("2025-08-03T00:00:10Z"), outcome: "failed" });
  await runAdmin(database, ["close-reviews", "--show", "show-2"]);
  await runAdmin(database, ["quarantine", await givenUser(db)]);
  await backUp(new Date("2025-08-01T04:00Z"));
  await db.insertInto("moderation_counts").values([
    { year: 2025, event: "report", count: 1_234 }, { year: 2025, event: "keep", count: 1 }, { year: 2025, event: "ban", count: 2 },
  ]).execute(); // biome-ignore format: rows
  const { out, err, exit } = await runAdmin(database, ["status"], { DATABASE_URL: url });
  expect([exit, err]).toEqual([1, "3 things wait for you.\n"]);
  const [version, others, , ...lines] = out.trimEnd().split("\n");
  expect(version).toMatch(/^Front Row \d+\.\d+\.\d+, commit [\da-f]{40}(-dirty)?$/);
  expect(others).toMatch(/^Node [\d.]+, PostgreSQL [\d.]+$/);
  expect(lines.map((line) => line.replace(/(?<=database: +)\d+/, "9"))).toEqual([
    "Last refresh:          failed, 2025-08-03T00:00Z",
    "Listed shows:          2",
    "Reviews in 24 hours:   1",
    "Open reports:          1, the oldest since 2025-08-02T19:30Z",
    "Hidden notes:          1",
    "Closed for reviews:    1 show",
    "Quarantined accounts:  1",
    "Waiting messages:      no webhook is set",
    "Stray rejections:      0 in 24 hours",
    "Last backup:           2025-08-01T04:00Z",
    "Size of the database:  9 MB",
    "Disk left:             not known (a PostgreSQL of your own)",
    "Moderation in 2025:    1,234 reports, 0 objections, 3 decisions",
    "Decisions in 2025:     1 keep, 2 ban",
    "",
    "What waits for you:",
    "- 1 report waits for a decision, the oldest since 2025-08-02T19:30Z:",
    "  npm run admin -- queue-link <your name>",
    "- The last refresh did not succeed (failed):",
    "  npm run refresh",
    "- The last backup is more than 36 hours old:",
    "  npm run admin -- backup <file>",
  ]);
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);

  const page = readFileSync(new URL("../../docs/operations/incidents.md", import.meta.url), "utf8");
  const section = page.split("\n## The status\n")[1]?.split("\n## ")[0] ?? "";
  const documented = [...section.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names = ""]) =>
    names.match(/\w+/g),
  );
  const json = JSON.parse((await runAdmin(database, ["status", "--json"], { DATABASE_URL: url })).out);
  expect(documented.sort()).toEqual(Object.keys(json).sort());
});

test("a command whose reader ends prints no stack trace", () => {
  const env = { PATH: process.env.PATH, DATABASE_URL: url };
  const script = "set -o pipefail; node src/cli/admin.ts --help | true";
  const { status, stderr } = spawnSync("bash", ["--norc", "-c", script], { env, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
});

test("check-config prints the settings without secrets, and each bad one at once", async () => {
  const variables = {
    DATABASE_URL: "postgres://me:hush@127.0.0.1:9/front_row",
    METRICS_TOKEN: "hush".repeat(4),
  };
  const check = async (more: Record<string, string>) =>
    (await captureOutput(async () => checkConfig({ ...variables, ...more }))).out;
  const file = join(folder, "env");
  const good = await check({ PORT: "4000", SETTINGS_FILE: file });
  expect(good).toContain(`There is no settings file ${file}.`);
  for (const missing of ["FESTIVAL_API_KEY", "OPERATOR_NAME"])
    expect(good).toMatch(new RegExp(`^For npm run serve: Set ${missing}`, "m"));
  const proxy = { HTTPS_PROXY: "hush", NODE_USE_ENV_PROXY: "1", HOST: "hush", SETTINGS_FILE: file };
  const message = /invalid:\n {2}HTTP_PROXY and HTTPS_PROXY must .*\n {2}HOST: must/;
  await expect(check(proxy)).rejects.toThrow(message);
  writeFileSync(file, "METRICS_TOKN=hush\nPORT=70000\nGOOGLE_CLIENT_SECRET=hush\n");
  const settings = { SETTINGS_FILE: file, METRICS_TOKEN: "hush".repeat(4) };
  const bad = await runAdminProcess({ url: variables.DATABASE_URL }, ["check-config"], "", settings);
  expect([bad.exit, bad.out]).toEqual([1, expect.stringMatching(/^PORT: +bad \(settings file\)$/m)]);
  expect(bad.out).toMatch(/^METRICS_TOKN: no setting has this name/m);
  expect(bad.err).toMatch(
    /^The configuration is invalid:\n {2}PORT: must .*\n {2}GOOGLE_CLIENT_ID and .*\n$/,
  );
  expect(good + bad.out + bad.err).not.toContain("hush");
});

test("unhide-notes shows hidden notes whose report was deleted, and no others", async () => {
  const unhide = () => runAdmin(database, ["unhide-notes", "show-1", "wren@people.example"]);
  const expectRefused = async (err: string) =>
    expect(await unhide()).toEqual({ exit: 1, out: "", err: `${err}\n` });
  const isHidden = async () => (await storedRows(db, "reviews", ["hidden_rule"]))[0]?.hidden_rule !== null;
  const none = "This user has no notes of this show, or they were removed.";
  await expectRefused(none);
  const note_id = await givenReview(db, { user_id: author_id, notes: "Wonderful." });
  await expectRefused("These notes are not hidden.");

  const id = await givenReport(db, { author_id, note_id });
  await givenChanged(db, "reviews", { hidden_rule: "personal_data" });
  await expectRefused(
    `A report of them waits: decide on report ${id}, by a link: npm run admin -- queue-link <name>`,
  );
  const decisionId = await decide(db, id, "hide");
  await expectRefused(`A report of them is there: npm run admin -- undo ${decisionId}`);
  expect(await isHidden()).toBe(true);
  await givenDeleted(db, "reports");
  await givenNone(db, "audit");
  expect(await unhide()).toEqual({
    exit: 0,
    out: `The notes of “Show 1” (show-1) by wren@people.example (${author_id}) are shown again.\n`,
    err: "",
  });
  expect(await isHidden()).toBe(false);
  expect(await auditRows(db)).toEqual([
    { action: "unhide-notes", details: { show_id: "show-1", user_id: author_id } },
  ]);
  await givenChanged(db, "reviews", { hidden_rule: "fake", removal: "note" });
  await expectRefused(none);
});
