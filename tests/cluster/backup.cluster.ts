import { execFileSync } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { digestOf } from "../../src/cli/backup/backup.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import { runAdmin } from "../support/admin.ts";
import { contentsOf, givenEverything, userIds } from "../support/backups.ts";
import { findPrograms, startDebianPostgres } from "../support/debian-postgres.ts";
import { bareEnvironment } from "../support/environment.ts";
import { givenReport } from "../support/given.ts";
import { waitingJob } from "../support/job-queue.ts";
import { createDatabase } from "../support/postgres-server.ts";
import { runProgram } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { countLockWaiters, expectTrueTallies } from "../support/stored.ts";

const bin = findPrograms() ?? expect.fail("There is no PostgreSQL of Debian's");
const server = await startDebianPostgres(bin);
afterAll(server.close);
const folder = await setUpFolder();
const file = join(folder, "site.backup");
const tools = { PG_BIN: bin };

async function newSite() {
  const database = await createDatabase(server.url, "");
  onTestFinished(database.close);
  await migrate(database.url);
  return database;
}

async function givenSite() {
  const site = await newSite();
  await givenEverything(site.db);
  return site;
}

const run = (site: Awaited<ReturnType<typeof newSite>>, ...args: string[]) => runAdmin(site, args, tools);

beforeEach(async () => {
  for (const name of await readdir(folder)) await rm(join(folder, name));
});

test("a backup has every table without sessions, and a restore brings it into a new site", async () => {
  const source = await givenSite();
  const before = await contentsOf(source.db);
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(await run(source, "backup", file)).toEqual({
    exit: 0,
    out: `Backed up the database to ${file}.\n`,
    err: "",
  });
  expect((await readdir(folder)).sort()).toEqual(["site.backup", "site.backup.sha256"]);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  execFileSync("sha256sum", ["--check", "--strict", "site.backup.sha256"], { cwd: folder });
  expect(execFileSync(join(bin, "pg_restore"), ["--list", file], { encoding: "utf8" })).toContain(
    "TABLE DATA",
  );

  const target = await newSite();
  await sql`insert into shows (id, title, year, status) values ('refreshed', 'Since', 2025, 'active')`.execute(
    target.db,
  );
  expect(await run(target, "restore", file)).toEqual({ exit: 0, out: `Restored ${file}.\n`, err: "" });
  const after = await contentsOf(target.db);
  expect(after.audit?.pop()).toMatchObject({ id: 2, action: "restore" });
  const [reports, told] = [before.reports, after.reports];
  expect(told).toEqual(reports?.map((report) => ({ ...report, announced: null })));
  const secret = { sessions: [], sign_ins: [], signing_keys: [] };
  expect({ ...after, reports }).toEqual({ ...before, ...secret });
  expect(await waitingJob(target.db, "notify-operator")).toMatchObject({ attempts: 0 });

  // Numbers continue, even after deleted rows, and triggers count.
  await sql`delete from users where id = ${userIds[4]}`.execute(target.db);
  expect(await givenReport(target.db, { show_id: "s", author_id: userIds[0] ?? "" })).toBe("3");
  expect(await run(target, "queue-link", "Bo")).toMatchObject({ exit: 0 });
  expect(await expectTrueTallies(target.db)).toMatchObject([{ show_id: "s", yes: 3 }]);
});

test("a restore is all or nothing: one that is killed, stopped or cut off leaves the site as it was", async () => {
  const source = await givenSite();
  expect(await run(source, "backup", file)).toMatchObject({ exit: 0 });
  const target = await newSite();
  await sql`insert into shows (id, title, year, status) values ('kept', 'Since', 2025, 'active')`.execute(
    target.db,
  );
  const before = await contentsOf(target.db);
  const env = { ...bareEnvironment(), ...tools, DATABASE_URL: target.url };
  for (const [signal, exit] of [
    ["SIGKILL", "SIGKILL"],
    ["SIGINT", 130],
  ] as const) {
    const locker = await target.db.startTransaction().execute();
    await sql`lock table graphile_worker._private_jobs`.execute(locker); // when all rows are in
    const restoring = runProgram("build/server/admin.js", ["restore", file], env);
    await expect.poll(() => countLockWaiters(target.db)).toBe(1);
    restoring.process.kill(signal);
    expect(await restoring.exited).toBe(exit);
    await locker.rollback().execute();
    expect(await contentsOf(target.db)).toEqual(before);
  }

  const whole = await readFile(file);
  for (const length of [whole.length - 1, Math.floor(whole.length / 2), 300, 0]) {
    await writeFile(file, whole.subarray(0, length));
    await writeFile(`${file}.sha256`, `${await digestOf(file)}  site.backup\n`);
    const refused = {
      exit: 1,
      out: "",
      err: expect.stringMatching(/^Nothing was restored\. pg_restore: error: .+\n$/),
    };
    expect(await run(target, "restore", file)).toEqual(refused);
    expect(await contentsOf(target.db)).toEqual(before);
  }
});
