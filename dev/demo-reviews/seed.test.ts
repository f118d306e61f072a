import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeEach, expect, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { createTestDatabase } from "../../tests/support/postgres.ts";
import { expectTrueTallies } from "../../tests/support/stored.ts";
import { inventReviews } from "./reviews.ts";
import { seedDemoReviews } from "./seed.ts";

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.close());

const log = pino({ level: "silent" });
const shows = Array.from({ length: 400 }, (_, index) => ({
  id: `show-${index}`,
  title: `Show ${index}`,
  genre: ["Comedy", "Theatre", "Children's Shows", null][index % 4] ?? null,
  year: YEAR,
  status: index % 10 === 3 ? ("cancelled" as const) : ("active" as const),
  listed: index % 10 !== 7,
  details: "{}",
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

test("writes the invented reviews of active listed shows into a database without users", async () => {
  const reviewable = shows.filter(({ listed, status }) => listed && status === "active");
  const invented = inventReviews({ shows: reviewable });
  const written = await seedDemoReviews(db, log);
  expect(written).toEqual({ users: invented.users.length, reviews: invented.reviews.length });
  const byKey = (a: { show_id: string; user_id: string }, b: typeof a) =>
    `${a.show_id} ${a.user_id}` < `${b.show_id} ${b.user_id}` ? -1 : 1;
  expect((await storedReviews()).sort(byKey)).toEqual(invented.reviews.toSorted(byKey));
  expect((await storedUsers()).map(({ email }) => email).sort()).toEqual(
    invented.users.map(({ email }) => email).sort(),
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
