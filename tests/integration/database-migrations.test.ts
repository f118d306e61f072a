import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase, createOwnedDatabase } from "../support/postgres.ts";
import { runProgram } from "../support/program.ts";
import { setUpFolder } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";
import { countLockWaiters, storedRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

let database: Database;
const folder = await setUpFolder();
const animalsSql = "create table animals (name text); insert into animals values ('cat');";
await writeFile(path.join(folder, "0001_animals.sql"), animalsSql);
await writeFile(path.join(folder, "README.md"), "not a migration");
const plants = path.join(folder, "0002_plants.sql");
const baseline = await setUpFolder();
const migrations = new URL("../../src/database/migrations/", import.meta.url);
await copyFile(new URL("0001_baseline.sql", migrations), path.join(baseline, "0001_baseline.sql"));

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(async () => {
  await rm(plants, { force: true });
  await database.close();
});

async function names(query: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}
const tables = () =>
  names(`select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
    order by name`);
const animals = () => names("select name from animals");
const run = async (statements: readonly string[]) => {
  for (const statement of statements) await database.pool.query(statement);
};

/** Gives the database the schema before the baseline, with a row of each kind. */
async function makeOld(): Promise<void> {
  await migrate(database.url, { folder: baseline });
  await run([await readFile(new URL("../fixtures/before-baseline.sql", import.meta.url), "utf8")]);
  await run([
    `insert into shows (id, title, year, status, warnings) values ('s', 'Moths', 2025, 'active', '{Nudity}');
    insert into users (id, email, email_confirmed_at)
      select md5(n::text)::uuid, n || '@people.example', now() from generate_series(1, 3) n;
    insert into identities (provider, subject, user_id, email, email_verified)
      select 'google', n::text, md5(n::text)::uuid, 'x', true from generate_series(1, 3) n;
    insert into sessions (user_id, provider, refresh_key, expires_at)
      values (md5('1')::uuid, 'google', decode(repeat('ab', 32), 'hex'), now() + interval '1 day');
    insert into reviews (show_id, user_id, audience_interaction, notes)
      select 's', md5(n::text)::uuid, 'yes', 'Note ' || n from generate_series(1, 3) n;
    insert into reports (show_id, author_id, note_id, rule) values ('s', md5('1')::uuid, gen_random_uuid(), 'fake');
    insert into decisions (report_id, action, undo) select id, 'keep', '{}' from reports;
    insert into banned_identities values (identity_hash('google', '9'), now());
    insert into audit (action, details) values ('ban-user', '{}');
    insert into refreshes (finished_at, outcome) values (now(), 'succeeded');
    insert into flows (state, provider, challenge, expires_at) values ('f', 'google', 'c', now())`,
  ]);
}

async function rowsOf(names: readonly string[]): Promise<unknown[]> {
  const read = (name: string) =>
    sql`select (to_jsonb(t) - '{card_changed_at,changed_at}'::text[])::text as row from ${sql.table(name)} t order by 1`;
  const results = await Promise.all(names.map((name) => read(name).execute(database.db)));
  return results.map(({ rows }, index) => [names[index], rows]);
}

test("a database with the schema before the baseline is upgraded, with all its rows", async () => {
  await makeOld();
  const dropped = ["sign_ins", "flows", "used_states", "callback_results", "moderation_counts"];
  const kept = (await tables()).filter((name) => !dropped.includes(name));
  const rows = await rowsOf(kept);
  await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, { folder: baseline })));
  expect(await rowsOf(kept)).toEqual(rows);
  const fresh = await createEmptyDatabase();
  for (const { url } of [database, fresh]) await migrate(url);
  expect(await describeSchema(database.db)).toEqual(await describeSchema(fresh.db));
  await fresh.close();
  await run(["delete from reviews where notes = 'Note 2'"]);
  expect(await database.db.selectFrom("tallies").selectAll().executeTakeFirst()).toMatchObject({ yes: 2 });
});

test("hidden notes and decisions survive the second migration, without the removed texts", async () => {
  await migrate(database.url, { folder: baseline });
  await sql
    .raw(`
    insert into shows (id, title, year, status) values ('s', 'Moths', 2025, 'active');
    insert into users (id, email) select md5(n::text)::uuid, n || '@people.example' from generate_series(1, 2) n;
    insert into reviews (show_id, user_id, audience_interaction, notes, hidden_rule)
      values ('s', md5('1')::uuid, 'yes', 'Bo shouted.', 'abusive');
    insert into reports (show_id, author_id, note_id, rule, hidden_at)
      select 's', md5(n::text)::uuid, md5('note')::uuid, 'abusive', '2026-08-01T10:00Z' from generate_series(1, 2) n;
    insert into decisions (report_id, action, undo)
      select id, 'hide', json_build_object('hidden_at', hidden_at, 'review', json_build_object('note_id', note_id, 'notes', 'Bo'))
      from reports where author_id = md5('1')::uuid;
    insert into shows (id, title, year, status) select x, x, 2025, 'active' from unnest('{t,u}'::text[]) x;
    insert into reviews (show_id, user_id, audience_interaction, notes)
      select x, md5('1')::uuid, 'yes', 'Kept.' from unnest('{t,u}'::text[]) x;
    insert into reports (show_id, author_id, note_id, rule, decided_at)
      select 't', user_id, note_id, 'fake', now() from reviews where show_id = 't';
    insert into decisions (report_id, action, undo)
      select id, 'keep', json_build_object('hidden_at', null, 'review', json_build_object('note_id', note_id, 'notes', 'Kept.'))
      from reports where show_id = 't';
    insert into reports (show_id, author_id, note_id, rule, anonymous_count)
      select 'u', user_id, note_id, 'personal_data', 1 from reviews where show_id = 'u';
    insert into report_reasons (report_id, note_id, reason)
      select id, note_id, 'personal_data' from reports where show_id = 'u'`)
    .execute(database.db);
  await migrate(database.url);
  const hidden = new Date("2026-08-01T10:00Z");
  const { rows } = await sql`
    select hidden_at, decisions.note_id, hidden_before from reviews, decisions
    where hidden_rule is not null and action = 'hide'`.execute(database.db);
  expect(rows).toEqual([{ hidden_at: hidden, note_id: expect.any(String), hidden_before: hidden }]);
  const { rows: verdicts } = await sql`
    select verdict_on(md5('1')::uuid, note_hash(text)) as verdict, rule
    from unnest('{Kept.,Bo}'::text[]) as text, reports where show_id = 'u'`.execute(database.db);
  expect(verdicts).toEqual([
    { verdict: "keep", rule: "off_topic" },
    { verdict: "abusive", rule: "off_topic" },
  ]);
  await run(["delete from reviews where show_id <> 's'"]);
  // The review of the second report was deleted by its author.
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes)
    values ('s', md5('2')::uuid, 'no', 'Bo shouted again.')`.execute(database.db);
  expect(await storedRows(database.db, "reviews", ["audience_interaction", "hidden_rule"])).toEqual([
    { audience_interaction: "no", hidden_rule: "abusive" },
    { audience_interaction: "yes", hidden_rule: "abusive" },
  ]);
});

test.each([
  ["only some of them", "delete from kysely_migration where name > '0009'", "0008_warnings"],
  ["one more", "insert into kysely_migration values ('0015_moths', 'x')", "0015_moths"],
])("a database with %s is refused in one line and left as it is", async (_what, change, last) => {
  await makeOld();
  await run([change]);
  const before = await describeSchema(database.db);
  const expected = new RegExp(`^The database is of an unfinished version .*${last}.*cannot take over.*$`);
  await expect(migrate(database.url)).rejects.toThrow(expected);
  expect(await describeSchema(database.db)).toEqual(before);
});

test("instances that start together migrate once, and all succeed", async () => {
  await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, { folder })));
  expect(await animals()).toEqual(["cat"]);
});

test("migrations succeed while other tables are created and dropped", async () => {
  await migrate(database.url, { folder });
  let isOver = false;
  const churn = (async () => {
    while (!isOver) await run(["create table if not exists others (id serial)", "drop table others"]);
  })();
  const migrations = (async () => {
    for (let round = 0; round < 6; round++) await migrate(database.url, { folder });
  })();
  await migrations.finally(() => (isOver = true)).finally(() => churn);
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
  expect(lines.join("")).toContain('"migration":"0002_plants"');
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

test.each<[string, string, string]>([
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

test("a first start that was interrupted before its first migration is repeated", async () => {
  const interrupted = path.join(folder, "interrupted");
  await mkdir(interrupted);
  await writeFile(path.join(interrupted, "0001_first.sql"), "select pg_terminate_backend(pg_backend_pid())");
  const expected = "cannot be brought up to date";
  await expect(migrate(database.url, { folder: interrupted })).rejects.toThrow(expected);
  await migrate(database.url);
  expect(await tables()).toContain("shows");
});

test("npm start, serve and the commands fail with that line, and change nothing", async () => {
  await run(["create table orders (id integer)"]);
  const before = await contents();
  const line = /^The database at \S+ is another program's: it has public\.orders, .*$/m;
  const port = String(await freePort());
  const variables = { DATABASE_URL: database.url, PORT: port, ORIGIN: "http://127.0.0.1" };
  const served = await startSite({ DATABASE_URL: database.url }).catch((error: Error) => error.message);
  expect(served).toMatch(line);
  for (const [file, ...args] of [["dev/start.ts"], ["src/cli/admin.ts", "reports"]] as const) {
    const program = runProgram(file, args, variables);
    expect([file, await program.exited]).toEqual([file, 1]);
    expect(program.output()).toMatch(line);
    expect(program.output()).not.toMatch(/^\s+at /m);
  }
  expect(await contents()).toEqual(before);
});

/** The whole current schema, one line for each part, in an order that does not depend on its creation. */
async function describeSchema<T>(db: Kysely<T>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('column %s.%s %s %s %s %s', table_name, column_name, data_type, datetime_precision, is_nullable,
      coalesce(column_default, identity_generation)) as line
    from information_schema.columns where table_schema = current_schema()
    union all
    select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = current_schema()::regnamespace
    union all
    select 'index ' || indexdef from pg_indexes where schemaname = current_schema()
    union all
    select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select 'function ' || pg_get_functiondef(oid) from pg_proc
    where pronamespace = current_schema()::regnamespace`.execute(db);
  return rows.map(({ line }) => line).sort();
}
