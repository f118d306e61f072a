import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase, createOwnedDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { startSite } from "../support/site.ts";

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of resources.splice(0).reverse()) await close();
});

async function createWith(...statements: string[]): Promise<Database> {
  const database = await createEmptyDatabase();
  resources.push(database.close);
  for (const statement of statements) await database.pool.query(statement);
  return database;
}

/** All that a database has of its own: schemas, extensions, relations, functions. */
async function contents({ pool }: Database): Promise<unknown[]> {
  const { rows } = await pool.query(`
    select 'schema ' || nspname as name from pg_namespace
    union all select 'extension ' || extname from pg_extension
    union all select 'relation ' || oid::regclass from pg_class where oid >= 16384
    union all select 'function ' || oid::regprocedure from pg_proc where oid >= 16384
    order by 1`);
  return rows;
}

const refusal = async ({ url }: Database) =>
  migrate(url).then(
    () => "It was migrated",
    (error: Error) => error.message,
  );

test.each<[string, string, string[]]>([
  ["a table", "public.invoices", ["create table invoices ()"]],
  ["a table in another schema", 'crm."Leads"', ["create schema crm", 'create table crm."Leads" ()']],
  [
    "a partitioned table",
    "public.readings",
    [
      "create table readings (day date) partition by range (day)",
      "create table a_2026 partition of readings for values from ('2026-01-01') to ('2027-01-01')",
    ],
  ],
  ["a view alone", "public.totals", ["create view totals as select 1 as total"]],
  [
    "a materialized view in another schema",
    "report.totals",
    ["create schema report", "create materialized view report.totals as select 1 as total"],
  ],
  ["a table named as one of ours", "public.users", ["create table users (id bigint primary key)"]],
  [
    "migrations of another program",
    "public.animals",
    [
      "create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)",
      "insert into kysely_migration values ('0001_animals', '2026-01-01T00:00:00.000Z')",
      "create table animals ()",
    ],
  ],
  [
    "a job queue of another program",
    "graphile_worker.jobs",
    ["create schema graphile_worker", "create table graphile_worker.jobs ()"],
  ],
])("a database with %s is refused by its name, and left as it is", async (_what, table, statements) => {
  const database = await createWith(...statements);
  const before = await contents(database);
  expect(await refusal(database)).toContain(`another program's: it has ${table},`);
  expect(await contents(database)).toEqual(before);
});

test.each<[string, string[]]>([
  ["with extensions", ["create extension if not exists pg_trgm", "create schema tools"]],
  [
    "with sequences and functions, which hold no data",
    ["create sequence numbers", "create function one() returns integer language sql return 1"],
  ],
  [
    "with views of a service in another schema",
    ["create schema metrics", "create view metrics.sizes as select * from pg_stat_user_tables"],
  ],
])("an empty database %s is migrated", async (_what, statements) => {
  const database = await createWith(...statements);
  await migrate(database.url);
  expect(await database.db.selectFrom("shows").select("id").execute()).toEqual([]);
});

test("tables of a hosting service, in a schema and of a role of its own, are left out", async () => {
  const { database, url, close } = await createOwnedDatabase("lodger");
  resources.push(close);
  await database.pool.query("create schema service; create table service.accounts (id integer)");
  await database.pool.query(
    "grant usage on schema service to lodger; grant all on service.accounts to lodger",
  );
  await migrate(url);
  expect(await database.db.selectFrom("shows").select("id").execute()).toEqual([]);
});

test("a first start that was interrupted before its first migration is repeated", async () => {
  const database = await createWith();
  const folder = await mkdtemp(join(tmpdir(), "front-row-foreign-"));
  resources.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "0001_interrupted.sql"), "select pg_terminate_backend(pg_backend_pid())");
  await expect(migrate(database.url, { folder })).rejects.toThrow("cannot be brought up to date");
  await migrate(database.url);
  expect(await database.db.selectFrom("shows").select("id").execute()).toEqual([]);
});

test("a database of ours may hold tables of others", async () => {
  const database = await createWith();
  await migrate(database.url);
  await database.pool.query("create schema guests; create table guests.book (); create table neighbours ()");
  await migrate(database.url);
});

test("npm start, serve and the commands end with that line, and change nothing", async () => {
  const database = await createWith("create table orders (id integer)");
  const before = await contents(database);
  const line = /^The database at \S+ is another program's: it has public\.orders, .*$/m;
  const variables = {
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    ORIGIN: "http://127.0.0.1",
  };
  const served = await startSite({ DATABASE_URL: database.url }).catch((error: Error) => error.message);
  expect(served).toMatch(line);
  for (const [file, args] of [
    ["dev/start.ts", []],
    ["src/cli/admin.ts", ["reports"]],
  ] as const) {
    const program = runProgram(file, [...args], variables);
    expect([file, await program.exited]).toEqual([file, 1]);
    expect(program.output()).toMatch(line);
    expect(program.output()).not.toMatch(/^\s+at /m);
  }
  expect(await contents(database)).toEqual(before);
});
