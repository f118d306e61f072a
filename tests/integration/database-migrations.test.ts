import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { setUpFolder } from "../support/set-up.ts";
import { countLockWaiters } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

let database: Database;
const folder = await setUpFolder();
const animalsSql = "create table animals (name text); insert into animals values ('cat');";
await writeFile(path.join(folder, "0001_animals.sql"), animalsSql);
await writeFile(path.join(folder, "README.md"), "not a migration");

/** A folder with the baseline alone. */
const baseline = await setUpFolder();
const migrations = new URL("../../src/database/migrations/", import.meta.url);
await copyFile(new URL("0001_baseline.sql", migrations), path.join(baseline, "0001_baseline.sql"));

beforeEach(async () => {
  database = await createEmptyDatabase();
});
const plants = path.join(folder, "0002_plants.sql");
afterEach(async () => {
  await rm(plants, { force: true });
  await database.close();
});

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%' order by name
  `.execute(database.db);
  return rows.map(({ name }) => name);
}

const animals = () =>
  sql<{ name: string }>`select name from animals`.execute(database.db).then(({ rows }) => rows);

test("an empty database gets all tables", async () => {
  await migrate(database.url);
  expect(await tables()).toEqual(
    expect.arrayContaining(["identities", "refreshes", "reviews", "shows", "tallies", "users"]),
  );
});

/** Makes the database one that the migrations before the baseline have made, with a row of each kind in it. */
async function makeOld(): Promise<void> {
  await migrate(database.url, { folder: baseline });
  const before = new URL("../fixtures/before-baseline.sql", import.meta.url);
  await sql.raw(await readFile(before, "utf8")).execute(database.db);
  await sql
    .raw(`
    insert into shows (id, title, year, status, warnings) values ('s', 'Moths', 2025, 'active', '{Nudity}');
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
    insert into flows (state, provider, challenge, expires_at) values ('f', 'google', 'c', now())`)
    .execute(database.db);
}

/** Every row of the tables that stay. */
async function rowsOf(names: readonly string[]): Promise<unknown[]> {
  const read = (name: string) =>
    sql`select (to_jsonb(t) - '{card_changed_at,changed_at}'::text[])::text as row from ${sql.table(name)} t order by 1`;
  const results = await Promise.all(names.map((name) => read(name).execute(database.db)));
  return results.map(({ rows }, index) => [names[index], rows]);
}

test("a database of the migrations before the baseline is adopted, with all its rows", async () => {
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
  await sql`delete from reviews where notes = 'Note 2'`.execute(database.db);
  expect(await database.db.selectFrom("tallies").selectAll().executeTakeFirst()).toMatchObject({ yes: 2 });
});

test.each([
  ["only some of them", "delete from kysely_migration where name > '0009'", "0008_warnings"],
  ["one more", "insert into kysely_migration values ('0015_moths', 'x')", "0015_moths"],
])("a database with %s is refused in one line and left as it is", async (_what, change, last) => {
  await makeOld();
  await sql.raw(change).execute(database.db);
  const before = await describeSchema(database.db);
  await expect(migrate(database.url)).rejects.toThrow(
    new RegExp(`^The database is of an unfinished version .*${last}.*cannot take over.*$`),
  );
  expect(await describeSchema(database.db)).toEqual(before);
});

test("instances that start together migrate once, and all succeed", async () => {
  await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, { folder })));
  expect(await animals()).toEqual([{ name: "cat" }]);
});

test("migrations succeed while other tables are created and dropped", async () => {
  await migrate(database.url, { folder });
  let migrating = true;
  const churn = async () => {
    while (migrating) {
      await database.pool.query("create table if not exists others (id serial)");
      await database.pool.query("drop table others");
    }
  };
  const churnDone = churn();
  try {
    for (let run = 0; run < 6; run++) await migrate(database.url, { folder });
  } finally {
    migrating = false;
    await churnDone;
  }
});

test("only a new migration runs on a database that has the earlier ones", async () => {
  await migrate(database.url, { folder });
  await writeFile(plants, "create table plants ();");
  await migrate(database.url, { folder });
  expect(await tables()).toEqual(["animals", "plants"]);
  expect(await animals()).toEqual([{ name: "cat" }]);
});

test("a failing migration is reported by name and rolled back, and earlier ones stay", async () => {
  await writeFile(plants, "create table plants (); select 1 / 0;");
  await expect(migrate(database.url, { folder })).rejects.toThrow(
    "The migration 0002_plants failed: division by zero",
  );
  expect(await tables()).toEqual(["animals"]);

  await writeFile(plants, "create table plants ();");
  await migrate(database.url, { folder });
  expect(await tables()).toEqual(["animals", "plants"]);
});

test("a database of a newer version is refused and left unchanged", async () => {
  await writeFile(plants, "create table plants ();");
  await migrate(database.url, { folder });
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
])(
  "a migration that waits for %s does not keep others waiting, and succeeds afterwards",
  async (_name, mode, other) => {
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
  },
);

/** All that the current schema has, a line for each thing, whatever the order in which it was made. */
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
    select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = current_schema()::regnamespace`.execute(
    db,
  );
  return rows.map(({ line }) => line).sort();
}
