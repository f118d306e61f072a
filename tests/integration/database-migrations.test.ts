import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { testRows } from "../support/test-rows.ts";

let database: Database;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "front-row-migrations-"));
  await writeFile(
    path.join(folder, "0001_animals.sql"),
    "create table animals (name text); insert into animals values ('cat');",
  );
  await writeFile(path.join(folder, "README.md"), "not a migration");
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(async () => {
  await rm(path.join(folder, "0002_plants.sql"), { force: true });
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

test("the phrases of warnings are taken from the string that was stored before", async () => {
  await migrate(database.url);
  await sql`alter table shows drop column warnings`.execute(database.db);
  const stored = ["Nudity, Audience participation ,", " ,", null];
  for (const [index, warnings] of stored.entries()) {
    await sql`insert into shows (id, title, year, status, details)
      values (${String(index)}, 'Moths', 2025, 'active', jsonb_strip_nulls(jsonb_build_object('warnings', ${warnings}::text)))`.execute(
      database.db,
    );
  }
  const migration = new URL("../../src/database/migrations/0008_warnings.sql", import.meta.url);
  await sql.raw(await readFile(migration, "utf8")).execute(database.db);
  const rows = await database.db.selectFrom("shows").select("warnings").orderBy("id").execute();
  expect(rows.map(({ warnings }) => warnings)).toEqual([["Nudity", "Audience participation"], null, null]);
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
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, { folder });
  expect(await tables()).toEqual(["animals", "plants"]);
  expect(await animals()).toEqual([{ name: "cat" }]);
});

test("a failing migration is reported by name and rolled back, and earlier ones stay", async () => {
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants (); select 1 / 0;");
  await expect(migrate(database.url, { folder })).rejects.toThrow(
    "The migration 0002_plants failed: division by zero",
  );
  expect(await tables()).toEqual(["animals"]);

  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, { folder });
  expect(await tables()).toEqual(["animals", "plants"]);
});

test("a database of a newer version is refused and left unchanged", async () => {
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, { folder });
  await rm(path.join(folder, "0002_plants.sql"));
  await expect(migrate(database.url, { folder })).rejects.toThrow(
    "The database belongs to a newer version of Front Row (it has the migration 0002_plants): start that version.",
  );
  expect(await tables()).toEqual(["animals", "plants"]);
});

/** Resolves when a connection waits for a lock in the test's database. */
async function waitForLockWait(): Promise<void> {
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await vi.waitUntil(async () => (await waiting.execute(database.db)).rows.length > 0, {
    timeout: 60_000,
    interval: 5,
  });
}

testRows<[string, string, string]>(1, [
  ["a dump", "access share", "insert into animals values ('dog')"],
  ["a long write", "row exclusive", "select name from animals"],
  ["a vacuum", "share update exclusive", "update animals set name = 'dog'"],
  ["an index that is built", "share", "select count(*) from animals"],
])(
  "a migration that waits for %s does not keep others waiting, and succeeds afterwards",
  async (_name, mode, other) => {
    await migrate(database.url, { folder });
    await writeFile(
      path.join(folder, "0002_plants.sql"),
      "create table plants (); alter table animals add age int;",
    );
    const holder = await database.pool.connect();
    const visitor = await database.pool.connect();
    await holder.query(`begin; lock table animals in ${mode} mode`);
    const lines: string[] = [];
    const migrating = migrate(database.url, { folder, log: pino({}, { write: (line) => lines.push(line) }) });
    await waitForLockWait();
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
