import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeEach, expect, test } from "vitest";
import { YEAR } from "../src/domain/programme.ts";
import { createTestDatabase } from "../tests/support/postgres.ts";
import { expectTrueTallies } from "../tests/support/stored.ts";
import { seedDemoReviews } from "./demo-reviews.ts";
import { idOf } from "./fake-festival-api/listing.ts";
import { loadProgramme, loadReviews } from "./invented-data.ts";

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.close());

const log = pino({ level: "silent" });
const shows = loadProgramme({ size: 400 }).map((event, index) => ({
  id: idOf(event),
  title: event.title.trim(),
  year: YEAR,
  status: index % 10 === 3 ? ("cancelled" as const) : ("active" as const),
  listed: index % 10 !== 7,
}));

beforeEach(async () => {
  await sql`truncate shows, users cascade`.execute(db);
  await db.insertInto("shows").values(shows).execute();
});

const storedUsers = () => db.selectFrom("users").selectAll().orderBy("id").execute();
const storedReviews = () =>
  db
    .selectFrom("reviews")
    .select(["show_id", "user_id", "audience_interaction", "notes", "created_at"])
    .orderBy("show_id")
    .orderBy("user_id")
    .execute();

test("writes the reviews of active listed shows, and their authors, into a database without users", async () => {
  const reviewable = new Set(
    shows.flatMap(({ id, listed, status }) => (listed && status === "active" ? id : [])),
  );
  const invented = loadReviews();
  const expected = invented.reviews
    .filter(({ show_id }) => reviewable.has(show_id))
    .map((review) => ({ ...review, created_at: new Date(review.created_at) }));
  const written = await seedDemoReviews(db, log);
  expect(written).toEqual({ users: (await storedUsers()).length, reviews: expected.length });
  const byKey = (a: { show_id: string; user_id: string }, b: typeof a) =>
    `${a.show_id} ${a.user_id}` < `${b.show_id} ${b.user_id}` ? -1 : 1;
  expect((await storedReviews()).sort(byKey)).toEqual(expected.sort(byKey));
  expect(new Set((await storedUsers()).map(({ id }) => id))).toEqual(
    new Set(expected.map(({ user_id }) => user_id)),
  );
  await expectTrueTallies(db);
});

test("writes once when several starts run at the same time", async () => {
  const written = await Promise.all([1, 2, 3].map(() => seedDemoReviews(db, log)));
  expect(written.filter((one) => one !== null)).toHaveLength(1);
  expect(await storedReviews()).toHaveLength(written.find((one) => one !== null)?.reviews ?? 0);
});

test("writes nothing into a database with a user", async () => {
  await db.insertInto("users").values({ email: "somebody@people.example" }).execute();
  expect(await seedDemoReviews(db, log)).toBeNull();
  expect(await storedUsers()).toHaveLength(1);
  expect(await storedReviews()).toEqual([]);
});

test("writes nothing without shows, so that a later start still can", async () => {
  await db.deleteFrom("shows").execute();
  expect(await seedDemoReviews(db, log)).toBeNull();
  expect(await storedUsers()).toEqual([]);
});
