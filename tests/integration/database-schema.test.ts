import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { beforeEach, expect, test } from "vitest";
import type { Schema } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { decodeTalliesUpdate } from "../../src/reviews/store/tallies-notification.server.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenIdentity, givenNone, givenShows } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { countLockWaiters } from "../support/stored.ts";

const database = await setUpDatabase();
const { db } = database;

const shows = ["show-0", "show-1", "show-2"];
const users = [0, 1, 2, 3].map((index) => `00000000-0000-4000-8000-00000000000${index}`);
const [show = "", otherShow = ""] = shows;
const [user = ""] = users;

beforeEach(async () => {
  await givenNone(db, "shows", "users");
  await givenShows(
    db,
    shows.map((id) => ({ id })),
  );
  await addUsers(db);
});

async function addUsers(db: Kysely<Schema>): Promise<void> {
  const values = users.map((id) => ({ id, email: `${id}@example.org` }));
  await db
    .insertInto("users")
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

interface ReviewRow {
  show_id?: string;
  user_id?: string;
  audience_interaction?: string;
  notes?: string | null;
  created_at?: Date;
}

/** Inserts a review in plain SQL, so that only the database's own constraints apply. */
function insertReview(db: Kysely<Schema>, row: ReviewRow = {}) {
  const {
    show_id = show,
    user_id = user,
    audience_interaction = "no",
    notes = null,
    created_at = new Date(),
  } = row;
  return sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    values (${show_id}, ${user_id}, ${audience_interaction}, ${notes}, ${created_at})`.execute(db);
}

test("a user has one review of each show", async () => {
  await insertReview(db);
  await expect(insertReview(db, { audience_interaction: "yes" })).rejects.toThrow("reviews_pkey");
  await insertReview(db, { show_id: otherShow });
});

test("only the three interactions are accepted", async () => {
  for (const [index, interaction] of interactions.entries()) {
    await insertReview(db, { user_id: users[index], audience_interaction: interaction });
  }
  for (const interaction of ["", "YES", "maybe"]) {
    await expect(insertReview(db, { user_id: users[3], audience_interaction: interaction })).rejects.toThrow(
      "audience_interaction",
    );
  }
});

test("utf16_length equals the length in JavaScript", async () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  const texts = fc.array(
    text.map((value) => value.replaceAll("\0", "")),
    { minLength: 20, maxLength: 20 },
  );
  const property = fc.asyncProperty(texts, async (values) => {
    const lengths = sql<{
      length: number;
    }>`select utf16_length(value) as length from unnest(${values}::text[]) value`;
    expect((await lengths.execute(db)).rows).toEqual(values.map(({ length }) => ({ length })));
  });
  await fc.assert(property, { numRuns: 10, examples: [[["", "a😀é\u{10000}\u{10FFFF}\uFFFF"]]] });
});

test.each([
  ["1000 letters", "a".repeat(1000)],
  ["500 emoji", "😀".repeat(500)],
  ["499 emoji and two letters", `${"😀".repeat(499)}ab`],
  ["a line break between words", "one\ntwo"],
])("notes can be %s", async (_, notes) => {
  await insertReview(db, { notes });
  expect(await db.selectFrom("reviews").select("notes").execute()).toEqual([{ notes }]);
});

test.each([
  ["1001 letters", "a".repeat(1001)],
  ["501 emoji", "😀".repeat(501)],
  ["500 emoji and a letter", `${"😀".repeat(500)}a`],
  ["empty", ""],
  ["blank", " \n\t "],
])("notes cannot be %s", async (_, notes) => {
  await expect(insertReview(db, { notes })).rejects.toThrow("reviews_notes_check");
});

test("reviews of unknown shows and by unknown users are refused", async () => {
  await expect(insertReview(db, { show_id: "nowhere" })).rejects.toThrow("reviews_show_id_fkey");
  await expect(insertReview(db, { user_id: "00000000-0000-4000-8000-ffffffffffff" })).rejects.toThrow(
    "reviews_user_id_fkey",
  );
});

test("deleting a user deletes identities and reviews, and updates the tallies", async () => {
  await givenIdentity(db, { user_id: user });
  await insertReview(db);
  await insertReview(db, { user_id: users[1], audience_interaction: "yes" });
  await db.deleteFrom("users").where("id", "=", user).execute();
  expect(await db.selectFrom("identities").selectAll().execute()).toEqual([]);
  expect(await db.selectFrom("reviews").select("user_id").execute()).toEqual([{ user_id: users[1] }]);
  expect(await db.selectFrom("tallies").select(["no", "very_little", "yes"]).execute()).toEqual([
    { no: 0, very_little: 0, yes: 1 },
  ]);
});

test("a show with a review cannot be deleted; one without can", async () => {
  await insertReview(db);
  await expect(db.deleteFrom("shows").where("id", "=", show).execute()).rejects.toThrow(
    "reviews_show_id_fkey",
  );
  await db.deleteFrom("reviews").execute();
  await db.deleteFrom("shows").where("id", "=", show).execute();
  expect(await db.selectFrom("tallies").where("show_id", "=", show).selectAll().execute()).toEqual([]);
});

const anyChange = fc.record({
  kind: fc.constantFrom("write", "write", "write", "interaction", "time", "move", "delete", "delete user"),
  show_id: fc.constantFrom(...shows),
  other_show: fc.constantFrom(...shows),
  user_id: fc.constantFrom(...users),
  audience_interaction: fc.constantFrom(...interactions),
  created_at: fc.nat(5).map((hour) => new Date(Date.UTC(2025, 7, 1, hour))),
});
type Change = typeof anyChange extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies one change to the reviews. Without a matching review it has no effect. */
async function applyChange(db: Kysely<Schema>, change: Change): Promise<void> {
  const { kind, show_id, user_id, audience_interaction, created_at, other_show } = change;
  const target = db.updateTable("reviews").where("show_id", "=", show_id).where("user_id", "=", user_id);
  if (kind === "write") {
    await db
      .insertInto("reviews")
      .values({ show_id, user_id, audience_interaction, created_at })
      .onConflict((conflict) =>
        conflict.columns(["show_id", "user_id"]).doUpdateSet({ audience_interaction, created_at }),
      )
      .execute();
  }
  if (kind === "interaction") await target.set({ audience_interaction }).execute();
  if (kind === "time") await target.set({ created_at }).execute();
  if (kind === "move") {
    const reviewers = db.selectFrom("reviews").select("user_id").where("show_id", "=", other_show);
    await target.set({ show_id: other_show }).where("user_id", "not in", reviewers).execute();
  }
  if (kind === "delete") {
    await db.deleteFrom("reviews").where("show_id", "=", show_id).where("user_id", "=", user_id).execute();
  }
  if (kind === "delete user") {
    await db.deleteFrom("users").where("id", "=", user_id).execute();
    await addUsers(db);
  }
}

/** The stored tallies, and a recount of all reviews. */
async function readTallies(db: Kysely<Schema>) {
  const stored = await sql`
    select shows.id, coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes, latest_at
    from shows left join tallies on show_id = id order by id`.execute(db);
  const counted = await sql`
    select shows.id,
      (count(*) filter (where audience_interaction = 'no'))::integer as no,
      (count(*) filter (where audience_interaction = 'very_little'))::integer as very_little,
      (count(*) filter (where audience_interaction = 'yes'))::integer as yes,
      max(reviews.created_at) as latest_at
    from shows left join reviews on show_id = id group by shows.id order by id`.execute(db);
  return { stored: stored.rows, counted: counted.rows };
}

test("tallies equal a recount after any changes of reviews", async () => {
  const changes = fc.array(anyChange, { minLength: 1, maxLength: 20, size: "max" });
  const property = fc.asyncProperty(
    changes,
    untilTimeLimit(async (changes) => {
      const transaction = await db.startTransaction().execute();
      try {
        for (const change of changes) await applyChange(transaction, change);
        const { stored, counted } = await readTallies(transaction);
        expect(stored).toEqual(counted);
      } finally {
        await transaction.rollback().execute();
      }
    }),
  );
  await fc.assert(property, { numRuns: 20 });
});

test("tallies equal a recount after concurrent changes", async () => {
  const byUser = (user_id: string) =>
    fc.sample(anyChange, 40).filter(({ kind }) => kind !== "delete user").map((change) => ({ ...change, user_id })); // biome-ignore format: one chain
  const writers = users.map(async (user_id) => {
    for (const change of byUser(user_id)) await applyChange(db, change);
  });
  await Promise.all(writers);
  const { stored, counted } = await readTallies(db);
  expect(stored).toEqual(counted);
});

test("users with reviews of the same shows can be deleted concurrently", async () => {
  for (let round = 0; round < 10; round++) {
    await addUsers(db);
    for (const [index, user_id] of users.entries()) {
      const order = index % 2 ? shows : shows.toReversed();
      for (const show_id of order) await insertReview(db, { show_id, user_id });
    }
    await Promise.all(users.map((id) => db.deleteFrom("users").where("id", "=", id).execute()));
  }
  const { stored, counted } = await readTallies(db);
  expect(stored).toEqual(counted);
});

test("concurrent first reviews of a show are all counted", async () => {
  await Promise.all(users.map((user_id) => insertReview(db, { user_id })));
  const { stored, counted } = await readTallies(db);
  expect(stored[0]).toMatchObject({ id: show, no: users.length });
  expect(stored).toEqual(counted);
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
  const { stored, counted } = await readTallies(db);
  expect(stored).toEqual(counted);
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
  await db.updateTable("reviews").set({ audience_interaction: "yes" }).execute();
  await db.deleteFrom("reviews").execute();
  await expect.poll(() => payloads.length, { timeout: 5_000 }).toBe(3);
  const latest_at = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  expect(payloads.map((payload) => decodeTalliesUpdate(payload))).toEqual([
    { showId: show, tallies: { no: 1, very_little: 0, yes: 0, latest_at, revision: 1 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 1, latest_at, revision: 2 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 3 } },
  ]);
  await client.end();
});
