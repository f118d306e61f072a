import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrate } from "../../src/database/migrations/migrate.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { createEmptyDatabase } from "../support/postgres.ts";

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

const animals = () => sql<{ name: string }>`select name from animals`.execute(database.db).then(({ rows }) => rows);

test("an empty database gets all tables", async () => {
  await migrate(database.url);
  expect(await tables()).toEqual(
    expect.arrayContaining(["identities", "refreshes", "reviews", "shows", "tallies", "users"]),
  );
});

test("instances that start together migrate once, and all succeed", async () => {
  await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, folder)));
  expect(await animals()).toEqual([{ name: "cat" }]);
});

test("migrations succeed while other tables are created and dropped", async () => {
  let migrating = true;
  const churn = async () => {
    while (migrating) {
      await database.pool.query("create table if not exists others (id serial)");
      await database.pool.query("drop table others");
    }
  };
  const churnDone = churn();
  try {
    for (let run = 0; run < 20; run++) await migrate(database.url, folder);
  } finally {
    migrating = false;
    await churnDone;
  }
});

test("only a new migration runs on a database that has the earlier ones", async () => {
  await migrate(database.url, folder);
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, folder);
  expect(await tables()).toEqual(["animals", "plants"]);
  expect(await animals()).toEqual([{ name: "cat" }]);
});

test("a failing migration is reported by name and rolled back, and earlier ones stay", async () => {
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants (); select 1 / 0;");
  await expect(migrate(database.url, folder)).rejects.toThrow("The migration 0002_plants failed: division by zero");
  expect(await tables()).toEqual(["animals"]);

  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, folder);
  expect(await tables()).toEqual(["animals", "plants"]);
});

test("a database of a newer version is refused and left unchanged", async () => {
  await writeFile(path.join(folder, "0002_plants.sql"), "create table plants ();");
  await migrate(database.url, folder);
  await rm(path.join(folder, "0002_plants.sql"));
  await expect(migrate(database.url, folder)).rejects.toThrow(
    "The database belongs to a newer version of Front Row (it has the migration 0002_plants): start that version.",
  );
  expect(await tables()).toEqual(["animals", "plants"]);
});
