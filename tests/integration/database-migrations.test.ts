import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase, createOwnedDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { countLockWaiters } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

let database: Database;
const folder = await setUpFolder();
const [migrations, functions] = [path.join(folder, "migrations"), path.join(folder, "functions")];
await Promise.all([mkdir(migrations), mkdir(functions)]);
const animalsSql = "create table animals (name text); insert into animals values ('cat');";
await writeFile(path.join(migrations, "0001_animals.sql"), animalsSql);
await writeFile(path.join(migrations, "README.md"), "not a migration");
const plants = path.join(migrations, "0002_plants.sql");
const sounds = path.join(functions, "sounds.sql");
const soundsSql = (sound: string) => `create or replace function sound() returns text return '${sound}';`;

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(async () => {
  for (const file of [plants, sounds]) await rm(file, { force: true });
  await database.close();
});

async function names(query: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}
const tables = () =>
  names(`select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'front_row_migrations'
    order by name`);
const animals = () => names("select name from animals");
const run = async (statements: readonly string[]) => {
  for (const statement of statements) await database.pool.query(statement);
};

test("instances that start together migrate once, and all succeed", async () => {
  await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, { folder })));
  expect(await animals()).toEqual(["cat"]);
});

test("a failing migration is reported by name and rolled back, and earlier ones stay", async () => {
  await writeFile(plants, "create table plants (); select 1 / 0;");
  const failure = "The migration 0002_plants failed: division by zero";
  await expect(migrate(database.url, { folder })).rejects.toThrow(failure);
  expect(await tables()).toEqual(["animals"]);
});

test("only a new migration runs; a database of a newer version is refused and left unchanged", async () => {
  await migrate(database.url, { folder });
  await writeFile(plants, "create table plants ();");
  await migrate(database.url, { folder });
  expect(await animals()).toEqual(["cat"]);
  await rm(plants);
  await expect(migrate(database.url, { folder })).rejects.toThrow(
    "The database belongs to a newer version of Front Row (it has the migration 0002_plants): start that version.",
  );
  expect(await tables()).toEqual(["animals", "plants"]);
});

test("functions run when their text is new, after the migrations, and once for instances that start together", async () => {
  const sound = () => names("select sound() as name");
  const ranAt = () =>
    names("select applied_at::text as name from front_row_migrations where name = 'sounds'");
  await writeFile(sounds, soundsSql("meow"));
  await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, { folder })));
  expect(await sound()).toEqual(["meow"]);
  const first = await ranAt();
  await migrate(database.url, { folder });
  expect(await ranAt()).toEqual(first);
  // A new version, then a roll back to the old one.
  for (const text of ["purr", "meow"]) {
    await writeFile(sounds, soundsSql(text));
    await migrate(database.url, { folder });
    expect(await sound()).toEqual([text]);
  }
  await writeFile(plants, "create table plants ();");
  await writeFile(sounds, `${soundsSql("hiss")} select 1 / 0;`);
  const failure = "The file functions/sounds.sql failed: division by zero";
  await expect(migrate(database.url, { folder })).rejects.toThrow(failure);
  expect([await tables(), await sound()]).toEqual([["animals", "plants"], ["meow"]]);
});

testRows<[string, string, string]>(1, [
  ["a dump", "access share", "insert into animals values ('dog')"],
  ["a long write", "row exclusive", "select name from animals"],
  ["a vacuum", "share update exclusive", "update animals set name = 'dog'"],
  ["an index that is built", "share", "select count(*) from animals"],
])("a migration that waits for %s blocks others only shortly, and succeeds later", async (_, mode, other) => {
  await migrate(database.url, { folder });
  await writeFile(plants, "create table plants (); alter table animals add age int;");
  const holder = await database.pool.connect();
  const visitor = await database.pool.connect();
  await holder.query(`begin; lock table animals in ${mode} mode`);
  const lines: string[] = [];
  const migrating = migrate(database.url, { folder, log: pino({}, { write: (line) => lines.push(line) }) });
  await vi.waitUntil(() => countLockWaiters(database.db), { timeout: 60_000, interval: 5 });
  const startedAt = performance.now();
  await visitor.query(`begin; set local statement_timeout = '8s'; ${other}; rollback`);
  expect(performance.now() - startedAt).toBeLessThan(2_500);
  expect(await tables()).toEqual(["animals"]);
  await holder.query("commit");
  await migrating;
  expect(await tables()).toEqual(["animals", "plants"]);
  expect(lines.join("")).toContain("A migration waits for a lock that another connection holds");
  expect(lines.join("")).toContain('"file":"migration 0002_plants"');
  holder.release();
  visitor.release();
});

const contents = () =>
  names(`
    select 'schema ' || nspname as name from pg_namespace
    union all select 'extension ' || extname from pg_extension
    union all select 'relation ' || oid::regclass from pg_class where oid >= 16384
    union all select 'function ' || oid::regprocedure from pg_proc where oid >= 16384
    order by 1`);

const partitioned = `create table readings (day date) partition by range (day);
  create table a_2026 partition of readings for values from ('2026-01-01') to ('2027-01-01')`;
const others = `create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
  insert into kysely_migration values ('0001_animals', '2026-01-01T00:00:00.000Z'); create table animals ()`;
const report = "create schema report; create materialized view report.totals as select 1 as total";
const queue = "create schema graphile_worker; create table graphile_worker.jobs ()";

testRows<[string, string, string]>(4, [
  ["a table", "public.invoices", "create table invoices ()"],
  ["a table in another schema", 'crm."Leads"', 'create schema crm; create table crm."Leads" ()'],
  ["a partitioned table", "public.readings", partitioned],
  ["a view alone", "public.totals", "create view totals as select 1 as total"],
  ["a materialized view in another schema", "report.totals", report],
  ["a table named as one of ours", "public.users", "create table users (id bigint primary key)"],
  ["migrations of another program", "public.animals", others],
  ["a job queue of another program", "graphile_worker.jobs", queue],
])("a database with %s is refused by its name, and left as it is", async (_what, table, statements) => {
  await run([statements]);
  const before = await contents();
  await expect(migrate(database.url)).rejects.toThrow(`another program's: it has ${table},`);
  expect(await contents()).toEqual(before);
});

test("a database without tables of others is migrated, and they may add some later", async () => {
  await run([
    "create extension if not exists pg_trgm",
    "create schema metrics",
    "create view metrics.sizes as select * from pg_stat_user_tables",
    "create sequence numbers",
    "create function one() returns integer language sql return 1",
  ]);
  await migrate(database.url);
  const expected = expect.arrayContaining(["identities", "reviews", "shows", "tallies", "users"]);
  expect(await tables()).toEqual(expected);
  await run(["create schema guests; create table guests.book (); create table neighbours ()"]);
  await migrate(database.url);
});

test("tables of a hosting service, in its own schema and of its own role, are ignored", async () => {
  const owned = await createOwnedDatabase("lodger");
  onTestFinished(owned.close);
  await owned.database.pool.query(`create schema service; create table service.accounts (id integer);
    grant usage on schema service to lodger; grant all on service.accounts to lodger`);
  await migrate(owned.url);
  expect(await owned.database.db.selectFrom("shows").select("id").execute()).toEqual([]);
});

test("npm start, serve and the commands fail with that line, and change nothing", async () => {
  await run(["create table orders (id integer)"]);
  const before = await contents();
  const line = /^The database at \S+ is another program's: it has public\.orders, .*$/m;
  const port = String(await freePort());
  const variables = { DATABASE_URL: database.url, PORT: port, ORIGIN: "http://127.0.0.1" };
  const served = await startSite({ DATABASE_URL: database.url }).catch((error: Error) => error.message);
  expect(served).toMatch(line);
  for (const [file, ...args] of [["dev/start.ts"], ["src/cli/admin.ts", "newest-notes"]] as const) {
    const program = runProgram(file, args, variables);
    expect([file, await program.exited]).toEqual([file, 1]);
    expect(program.output()).toMatch(line);
    expect(program.output()).not.toMatch(/^\s+at /m);
  }
  expect(await contents()).toEqual(before);
});
