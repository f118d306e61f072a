import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../src/cli/backup/backup.ts";
import { runCommand } from "../../src/cli/commands.ts";
import { parseConfig } from "../../src/config/environment.server.ts";
import { OperatorError } from "../../src/lib/operator-error.ts";
import { runAdmin } from "../support/admin.ts";
import { contentsOf, givenEverything, userIds } from "../support/backups.ts";
import { captureOutput } from "../support/command-output.ts";
import { findPrograms } from "../support/debian-postgres.ts";
import { bareEnvironment } from "../support/environment.ts";
import { givenDeleted, givenShows, givenUser } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { setUpDatabase, setUpFolder } from "../support/set-up.ts";
import { expectTrueTallies } from "../support/stored.ts";

const source = await setUpDatabase();
const folder = await setUpFolder();
const file = path.join(folder, "site.backup");
const digest = `${file}.sha256`;
const { server_version } = (await source.pool.query("show server_version")).rows[0];
const major = Number.parseInt(server_version, 10);

/** Plays `pg_dump` or `pg_restore` with a shell script. Returns the folder for PG_BIN. */
async function givenTool(name: string, script: string): Promise<string> {
  const bin = await setUpToolFolder();
  await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return bin;
}

let tools = 0;
async function setUpToolFolder(): Promise<string> {
  const bin = path.join(folder, "..", `${path.basename(folder)}-tools-${tools++}`);
  await mkdir(bin);
  onTestFinished(() => rm(bin, { recursive: true }));
  return bin;
}

const dumpTool = (script: string) => givenTool("pg_dump", script);

beforeEach(async () => {
  for (const name of await readdir(folder)) await rm(path.join(folder, name));
  await source.db.deleteFrom("backups").execute();
});

test("backup writes what pg_dump says and its digest for their owner, and records the time", async () => {
  const seen = path.join(folder, "seen");
  const PG_BIN = await dumpTool(
    `echo "$*" > ${seen}; echo "$PGPASSWORD" >> ${seen}; env >> ${seen}; printf dumped`,
  );
  const directUrl = "postgres://owner:se%40cret@db.example:5/site?sslmode=disable";
  const backedUp = await runAdmin({ ...source, directUrl }, ["backup", file], { PG_BIN });
  expect(backedUp).toEqual({ exit: 0, out: `Backed up the database to ${file}.\n`, err: "" });
  expect(await readFile(file, "utf8")).toBe("dumped");
  execFileSync("sha256sum", ["--check", "--strict", path.basename(digest)], { cwd: folder });
  for (const each of [file, digest]) expect((await stat(each)).mode & 0o777).toBe(0o600);
  const [args = "", password] = (await readFile(seen, "utf8")).split("\n");
  expect(args).toBe(
    '--format=custom --schema="public" --exclude-table-data="public".sessions --exclude-table-data="public".sign_ins --exclude-table-data="public".signing_keys --no-password --dbname=postgres://owner@db.example:5/site?sslmode=disable',
  );
  expect(password).toBe("se@cret");
  expect(await source.db.selectFrom("backups").selectAll().execute()).toHaveLength(1);
});

test("backup overwrites nothing, and a failed one leaves no file and one line that says what to do", async () => {
  const good = await dumpTool("printf dumped");
  const part = `${file}.part`;
  type Failure = [reason: RegExp, prepare: () => Promise<unknown>, bin?: string, to?: string];
  const failures: Failure[] = [
    [/^There is no pg_dump: install .* set PG_BIN/, async () => {}, path.join(folder, "nowhere")],
    [/^pg_dump: error: version mismatch; pg_dump: detail: server version: 18\.1; pg_dump version: 17\.6\.$/, async () => {}, await dumpTool("printf half; printf 'pg_dump: error: version mismatch\\npg_dump: detail: server version: 18.1; pg_dump version: 17.6\\n' >&2; exit 1")],
    [/^pg_dump ended with 3\.$/, async () => {}, await dumpTool("exit 3")],
    [/site\.backup is there already: name a file that is not\.$/, () => symlink(path.join(folder, "none"), file)],
    [/\.part is there already: another backup writes it, or one was killed\. If none runs, delete it\.$/, () => writeFile(part, "")],
    [/^The backup could not be written: ENOENT/, async () => {}, good, path.join(folder, "none/site.backup")],
    [/^Name a file\.$/, async () => {}, good, "-"],
    [/^Name a file\.$/, async () => {}, good, ""],
    [/has a table that is not Front Row's: my_notes\./, () => source.pool.query("create table my_notes ()")],
  ]; // biome-ignore format: a table
  onTestFinished(async () => void (await source.pool.query("drop table my_notes")));
  for (const [reason, prepare, PG_BIN = good, to = file] of failures) {
    await prepare();
    const before = await readdir(folder);
    const { exit, out, err } = await runAdmin(source, ["backup", to], { PG_BIN });
    expect([exit, out, err]).toEqual([1, "", expect.stringMatching(/^[^\n]+\n$/)]);
    expect(err.trim()).toMatch(reason);
    expect(await readdir(folder)).toEqual(before);
    for (const each of [file, part]) await rm(each, { force: true });
  }
  expect(await source.db.selectFrom("backups").selectAll().execute()).toEqual([]);
});

test("a stopped backup leaves no file", async () => {
  const PG_BIN = await dumpTool("printf half; exec sleep 600");
  const env = { ...bareEnvironment(), DATABASE_URL: source.url, PG_BIN };
  for (const [signal, exit] of [
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const) {
    const backingUp = runProgram("build/server/admin.js", ["backup", file], env);
    const written = async () => (await stat(`${file}.part`).catch(() => null))?.size;
    await expect.poll(written).toBe(4);
    backingUp.process.kill(signal);
    expect([await backingUp.exited, backingUp.output()]).toEqual([exit, "Stopped; there is no backup.\n"]);
    expect(await readdir(folder)).toEqual([]);
  }
});

/** What `pg_restore` writes of a site with two users, where each has a review. `cat` plays it. */
async function givenArchive(migration = "0001_baseline"): Promise<string> {
  const tables = await readFile("src/database/migrations/0001_baseline.sql", "utf8");
  const script = `\\restrict x
SET transaction_timeout = 0;
SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
drop function if exists email_key, utf16_length;
create table front_row_migrations (name text primary key, applied_at timestamptz not null default now(), digest text);
insert into front_row_migrations (name) values ('0001_baseline'), ('${migration}') on conflict do nothing;
${tables}
COPY users (id, email) FROM stdin;
${userIds[0]}\twren@people.example
${userIds[1]}\tpip \\\\.\u2028@people.example
\\.
insert into shows (id, title, year, status) values ('s', 'Moths', 2025, 'active');
insert into tallies (show_id, no, yes, latest_at) values ('s', 1, 1, now());
COPY reviews (show_id, user_id, audience_interaction, notes) FROM stdin;
s\t${userIds[0]}\tyes\tO\\nne
s\t${userIds[1]}\tno\t\\N
\\.
\\unrestrict x
`;
  await writeFile(file, script);
  await writeFile(digest, `${await digestOf(file)}  site.backup\n`);
  return script;
}

async function newSite() {
  const database = await createTestDatabase();
  onTestFinished(database.close);
  return database;
}

/** A new site, into which no backup is restored. */
const target = await setUpDatabase();
await givenShows(target.db, 1);

const restoreTool = () => givenTool("pg_restore", "exec cat");

test("restore deletes again who left since, by ids or by lines of the log", async () => {
  await givenArchive();
  const list = path.join(folder, "deleted");
  const deletion = (user_id = "") => JSON.stringify({ level: 30, event: "account_deleted", user_id });
  // Like by `journalctl -o json` and by Docker.
  const wrapped = [
    { MESSAGE: deletion(userIds[0]), PRIORITY: "6" },
    { MESSAGE: '{"event":"sign_in"}' },
    { MESSAGE: JSON.stringify({ attrs: {}, log: `${deletion(randomUUID())}\n` }) },
  ];
  for (const text of [
    `${userIds[0]?.toUpperCase()}\n\n${randomUUID()}\n`,
    `Aug 04 04:00 host front-row[1]: ${deletion(userIds[0])}\n{"event":"sign_in","user_id":"${userIds[1]}"}\n{"msg":"x"}\n${deletion(randomUUID())}`,
    wrapped.map((line) => JSON.stringify(line)).join("\n"),
  ]) {
    await writeFile(list, text);
    const target = await newSite();
    const args = ["restore", file, "--except-users", list];
    expect(await runAdmin(target, args, { PG_BIN: await restoreTool() })).toEqual({
      exit: 0,
      out: `Restored ${file}.\nDeleted users who were in it: 1 of 2.\n`,
      err: "",
    });
    const { audit, ...kept } = await contentsOf(target.db);
    expect([kept.users?.length, kept.reviews?.length, kept.shows?.length]).toEqual([1, 1, 1]);
    for (const theirs of [userIds[0], "wren@people.example"])
      expect(JSON.stringify(kept)).not.toContain(theirs);
    expect(audit).toMatchObject([{ action: "delete-user" }, { action: "restore", details: { deleted: 1 } }]);
    expect(await expectTrueTallies(target.db)).toMatchObject([{ show_id: "s", yes: 0, no: 1 }]);
  }
});

interface Restoring {
  /** What the file has; its digest is of the archive. */
  archive?: (whole: string) => string;
  migration?: string;
  /** The script that plays `pg_restore`. */
  tool?: string;
  /** For --except-users. */
  list?: string;
  pool?: pg.Pool;
}

/** Expects one line and no change. */
async function expectRefused(
  reason: RegExp,
  { archive, migration, tool = "exec cat", list, ...site }: Restoring,
) {
  const before = await contentsOf(target.db);
  const whole = await givenArchive(migration);
  if (archive) await writeFile(file, archive(whole));
  const listFile = path.join(folder, "deleted");
  if (list !== undefined) await writeFile(listFile, list);
  const config = parseConfig({ PG_BIN: await givenTool("pg_restore", tool) });
  const args = ["restore", file, ...(list === undefined ? [] : ["--except-users", listFile])];
  const { exit, out, err } = await captureOutput(() =>
    runCommand(args, (task) => task({ ...target, config, ...site })),
  );
  const line = /^(Nothing was restored\.|It is not) [^\n]+\n$/;
  expect([exit, out, err]).toEqual([1, "", expect.stringMatching(line)]);
  expect(err).toMatch(reason);
  expect(await contentsOf(target.db)).toEqual(before);
}

const none = /names no deleted user\. If there is none, leave out --except-users\./;
const noId = (line: number) => new RegExp(`Line ${line} of .* is neither the id of a user nor a whole line`);

test.each<[RegExp, Restoring]>([
  [/pg_restore: error: end of file\.$/m, { tool: "head -c 3000; echo 'pg_restore: error: end of file' >&2; exit 1" }],
  [/pg_restore: error: cut\.$/m, { tool: "sed '/^s[[:space:]].*[[:space:]]no/,$d'; echo 'pg_restore: error: cut' >&2; exit 1" }],
  [/is not what .*site\.backup\.sha256 says: it is damaged or was cut off\./, { archive: (whole) => `${whole} ` }],
  [/of a newer version of Front Row \(it has the migration 9999_tomorrow\)/, { migration: "9999_tomorrow" }],
  [none, { list: "" }],
  [none, { list: '{"event":"sign_in"}\n' }],
  [noId(2), { list: `${userIds[0]}\n${userIds[1]?.slice(1)}\n` }],
  [noId(1), { list: '{"event":"account_deleted","user_id":"wren"}\n' }],
  [noId(2), { list: `${userIds[0]}\n{"MESSAGE":"{\\"event\\":\\"account_deleted\\",\\"us"}\n` }],
  [noId(1), { list: "Started front-row.service in 5" }],
])("a restore that is refused or fails says why in one line, and changes nothing: %s", expectRefused); // biome-ignore format: a table

test("a restore of a file without a digest, or of none, is refused as well", async () => {
  const restore = async (reason: RegExp, text: string | null, PG_BIN?: string) => {
    for (const name of await readdir(folder)) await rm(path.join(folder, name));
    if (text !== null) await writeFile(file, text);
    const refused = await runAdmin(target, ["restore", file], { PG_BIN: PG_BIN ?? (await restoreTool()) });
    expect(refused).toEqual({ exit: 1, out: "", err: expect.stringMatching(reason) });
  };
  await restore(/^Nothing was restored\. A file could not be read: ENOENT/, null);
  await restore(/^Nothing was restored\. There is no pg_restore: install/, "", path.join(folder, "nowhere"));
  await restore(/^Nothing was restored\. The file is no backup of Front Row\./, "select 1;\n");
  await restore(/^Nothing was restored\. The database refuses it: division by zero\./, "select 1 / 0;\n");
});

test("a restore that fails at its end says whether anything was restored", async () => {
  const pool = (at: RegExp, act: (client: pg.PoolClient) => unknown): pg.Pool =>
    Object.assign(Object.create(target.pool), {
      async connect() {
        const client = await target.pool.connect();
        const query = client.query.bind(client) as (...args: unknown[]) => unknown;
        return Object.assign(Object.create(client), {
          query: (...args: unknown[]) => (at.test(String(args[0])) && act(client)) || query(...args),
        });
      },
    });
  const broken = pool(/^notify restored/, () => Promise.reject(new OperatorError("No.")));
  await expectRefused(/^Nothing was restored\. No\.\n$/, { pool: broken });
  const lost = pool(/^commit$/, (client) => void Reflect.get(client, "connection").stream.destroy());
  await expectRefused(/^It is not known whether the backup was restored\./, { pool: lost });
});

test("a site with users is not replaced by a backup", async () => {
  const id = await givenUser(target.db);
  onTestFinished(() => givenDeleted(target.db, "users", { id }));
  await expectRefused(/The site has users: a backup is restored into a new one\./, {});
});

const bin = findPrograms(String(major));
test.skipIf(!bin)("a backup by PostgreSQL's own programs brings everything into a new site", async () => {
  const [site, target] = [await newSite(), await newSite()];
  await givenEverything(site.db);
  const variables = { PG_BIN: bin ?? "" };
  expect(await runAdmin(site, ["backup", file], variables)).toMatchObject({ exit: 0 });
  const { backups: _, ...before } = await contentsOf(site.db);
  expect(await runAdmin(target, ["restore", file], variables)).toMatchObject({ exit: 0, err: "" });
  const { users, reviews, tallies } = await contentsOf(target.db);
  expect({ users, reviews, tallies }).toEqual({
    users: before.users,
    reviews: before.reviews,
    tallies: before.tallies,
  });
});
