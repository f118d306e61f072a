import { readFileSync } from "node:fs";
import { sql } from "kysely";
import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import type { Db } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { decodeTalliesUpdate } from "../../src/reviews/store/reviews-table.server.ts";
import {
  givenChanged,
  givenDeleted,
  givenNone,
  givenReview,
  givenShows,
  givenUsers,
} from "../support/given.ts";
import { userId } from "../support/programme.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { countLockWaiters, expectTrueTallies } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;
const shows = ["show-1", "show-2", "show-3"];
const users = [0, 1, 2, 3].map(userId);
const [show = "", otherShow = ""] = shows;
const [user = ""] = users;
const accounts = users.map((id) => ({ id }));

beforeEach(async () => {
  await givenNone(db, "shows", "users");
  await givenShows(db, shows.length);
  await givenUsers(db, accounts);
});

/** Without other checks than the database's constraints. */
const insertReview = (db: Db, row: object = {}) =>
  givenReview(db, { show_id: show, user_id: user, audience_interaction: "no", ...row });

test("architecture.md has each table and foreign key", async () => {
  const page = readFileSync(new URL("../../docs/architecture.md", import.meta.url), "utf8");
  const cells = [...(page.split("\n## The tables")[1] ?? "").matchAll(/^\| (`[^|]*) \|/gm)];
  const named = cells.flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
  const { rows } = await sql<{ name: string }>`
    select concat_ws(' ', relname, case when confdeltype = 'c' then '▶' when confdeltype is not null then '▷' end,
      confrelid::regclass) as name
    from pg_class left join pg_constraint on conrelid = pg_class.oid and contype = 'f'
    where relkind = 'r' and relnamespace = current_schema::regnamespace`.execute(db);
  expect(named.sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("a review has a known show and user, is the only one of both, and has one of the three interactions", async () => {
  for (const [index, audience_interaction] of interactions.entries())
    await insertReview(db, { user_id: users[index], audience_interaction });
  await insertReview(db, { show_id: otherShow });
  for (const [row, constraint] of [
    [{ audience_interaction: "YES" }, "audience_interaction"],
    [{ audience_interaction: "" }, "audience_interaction"],
    [{ show_id: "nowhere" }, "reviews_show_id_fkey"],
    [{ user_id: userId(99) }, "reviews_user_id_fkey"],
    [{ user_id: user }, "reviews_pkey"],
  ] as const)
    await expect(insertReview(db, { user_id: users[3], ...row })).rejects.toThrow(constraint);
});

test("notes have up to 1000 UTF-16 code units, and are not blank", async () => {
  const allowed = ["a".repeat(1000), "😀".repeat(500), `${"😀".repeat(499)}ab`, "one\ntwo"];
  for (const [index, notes] of allowed.entries()) await insertReview(db, { user_id: users[index], notes });
  for (const notes of ["a".repeat(1001), "😀".repeat(501), `${"😀".repeat(500)}a`, "", " \n\t "])
    await expect(insertReview(db, { show_id: otherShow, notes })).rejects.toThrow("reviews_notes_check");
});

test("a show with a review cannot be deleted; one without can", async () => {
  await insertReview(db);
  await expect(givenDeleted(db, "shows", { id: show })).rejects.toThrow("reviews_show_id_fkey");
  await givenDeleted(db, "reviews");
  await givenDeleted(db, "shows", { id: show });
  expect(await db.selectFrom("tallies").where("show_id", "=", show).selectAll().execute()).toEqual([]);
});

test("users with reviews of the same shows can be deleted concurrently", async () => {
  for (let round = 0; round < 10; round++) {
    for (const [index, user_id] of users.entries()) {
      const order = index % 2 ? shows : shows.toReversed();
      for (const show_id of order) await insertReview(db, { show_id, user_id });
    }
    await Promise.all(users.map((id) => givenDeleted(db, "users", { id })));
    await givenUsers(db, accounts);
  }
  await expectTrueTallies(db);
});

test("concurrent first reviews of a show are all counted", async () => {
  await givenNone(db, "shows");
  const more = await givenShows(db, 30);
  for (const show_id of more)
    await Promise.all(users.map((user_id) => insertReview(db, { show_id, user_id })));
  const counted = await expectTrueTallies(db);
  expect(counted.map(({ no }) => no)).toEqual(more.map(() => users.length));
});

test("a review that waits for the lock of a newer one does not overwrite latest_at", async () => {
  await insertReview(db, { user_id: users[2] });
  const [first, second] = [await db.startTransaction().execute(), await db.startTransaction().execute()];
  await insertReview(first, { created_at: new Date("2100-01-01") });
  const waiting = insertReview(second, { user_id: users[1] });
  await expect.poll(() => countLockWaiters(db), { timeout: 5_000 }).toBe(1);
  await first.commit().execute();
  await waiting;
  await second.commit().execute();
  await expectTrueTallies(db);
});

test("changed tallies are notified as a whole row after commit", async () => {
  const client = new pg.Client({ connectionString: database.url });
  const payloads: string[] = [];
  client.on("notification", ({ payload = "" }) => payloads.push(payload));
  await client.connect();
  await client.query("listen tallies");
  const rolledBack = await db.startTransaction().execute();
  await insertReview(rolledBack, { show_id: otherShow });
  await rolledBack.rollback().execute();
  await insertReview(db);
  await givenChanged(db, "reviews", { audience_interaction: "yes" });
  await givenDeleted(db, "reviews");
  await expect.poll(() => payloads.length, { timeout: 5_000 }).toBe(3);
  const latest_at = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  expect(payloads.map((payload) => decodeTalliesUpdate(payload))).toEqual([
    { showId: show, tallies: { no: 1, very_little: 0, yes: 0, latest_at, revision: 1 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 1, latest_at, revision: 2 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 3 } },
  ]);
  await client.end();
});

test("docs/architecture.md lists every function and trigger, and the code that relies on one names it", async () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const [, section = ""] = read("docs/architecture.md").split(/### Rules that SQL keeps|\n## Glossary/);
  const rows = [...section.matchAll(/^\|.*? \|(.*?)\|(.*?)\|(.*?)\|$/gm)].map((row) =>
    row.slice(1).map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)),
  );
  const { rows: stored } = await sql<{ functions: string[]; triggers: string[] }>`select
    array(select distinct proname::text from pg_proc where pronamespace = current_schema()::regnamespace
      order by 1) as functions,
    array(select tgname::text from pg_trigger where not tgisinternal order by 1) as triggers`.execute(db);
  const listed = [0, 1].map((column) => rows.flatMap((row) => row[column] ?? []).sort());
  expect(listed).toEqual([stored[0]?.functions, stored[0]?.triggers]);
  const silent = rows.flatMap(([functions = [], , files = []]) =>
    files.filter((file) => !functions.some((name) => read(`src/${file}`).includes(name))),
  );
  expect(silent).toEqual([]);
});
