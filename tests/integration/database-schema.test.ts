import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Schema } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { decodeTalliesUpdate } from "../../src/reviews/api/tallies-notification.server.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { createTestDatabase } from "../support/postgres.ts";

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.close());

const shows = ["show-0", "show-1", "show-2"];
const users = [0, 1, 2, 3].map((index) => `00000000-0000-4000-8000-00000000000${index}`);
const [show = "", otherShow = ""] = shows;
const [user = ""] = users;

beforeEach(async () => {
  await sql`truncate shows, users cascade`.execute(db);
  const values = shows.map((id) => ({ id, title: id, year: 2025, status: "active" as const, details: "{}" }));
  await db.insertInto("shows").values(values).execute();
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

interface Written {
  show_id?: string;
  user_id?: string;
  audience_interaction?: string;
  notes?: string | null;
  created_at?: Date;
}

/** Writes a review the way the database sees any client: as SQL, so that nothing but its own rules holds. */
function review(db: Kysely<Schema>, written: Written = {}) {
  const {
    show_id = show,
    user_id = user,
    audience_interaction = "no",
    notes = null,
    created_at = new Date(),
  } = written;
  return sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    values (${show_id}, ${user_id}, ${audience_interaction}, ${notes}, ${created_at})`.execute(db);
}

test("a user has one review of a show, and may review another show", async () => {
  await review(db);
  await expect(review(db, { audience_interaction: "yes" })).rejects.toThrow("reviews_pkey");
  await review(db, { show_id: otherShow });
});

test("the three answers are accepted, and nothing else", async () => {
  for (const [index, interaction] of interactions.entries()) {
    await review(db, { user_id: users[index], audience_interaction: interaction });
  }
  for (const interaction of ["", "YES", "maybe"]) {
    await expect(review(db, { user_id: users[3], audience_interaction: interaction })).rejects.toThrow(
      "audience_interaction",
    );
  }
});

test("the length of a text is what a browser says it is", async () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
  const texts = fc.array(
    text.map((value) => value.replaceAll("\0", "")),
    { minLength: 20, maxLength: 20 },
  );
  const property = fc.asyncProperty(texts, async (values) => {
    const lengths = sql<{ length: number }>`select utf16_length(value) as length from unnest(${values}::text[]) value`;
    expect((await lengths.execute(db)).rows).toEqual(values.map(({ length }) => ({ length })));
  });
  await fc.assert(property, { numRuns: 20, examples: [[["", "a😀é\u{10000}\u{10FFFF}\uFFFF"]]] });
});

test.each([
  ["1000 letters", "a".repeat(1000)],
  ["500 emoji", "😀".repeat(500)],
  ["499 emoji and two letters", `${"😀".repeat(499)}ab`],
  ["a line break between words", "one\ntwo"],
])("notes may be %s", async (_, notes) => {
  await review(db, { notes });
  expect(await db.selectFrom("reviews").select("notes").execute()).toEqual([{ notes }]);
});

test.each([
  ["1001 letters", "a".repeat(1001)],
  ["501 emoji", "😀".repeat(501)],
  ["500 emoji and a letter", `${"😀".repeat(500)}a`],
  ["empty", ""],
  ["blank", " \n\t "],
])("notes may not be %s", async (_, notes) => {
  await expect(review(db, { notes })).rejects.toThrow("reviews_notes_check");
});

test("reviews of unknown shows or by unknown users are refused", async () => {
  await expect(review(db, { show_id: "nowhere" })).rejects.toThrow("reviews_show_id_fkey");
  await expect(review(db, { user_id: "00000000-0000-4000-8000-ffffffffffff" })).rejects.toThrow("reviews_user_id_fkey");
});

test("deleting a user deletes the identities and reviews, and the tallies follow", async () => {
  await db
    .insertInto("identities")
    .values({ provider: "google", subject: "1", user_id: user, email: "a@example.org", email_verified: true })
    .execute();
  await review(db);
  await review(db, { user_id: users[1], audience_interaction: "yes" });
  await db.deleteFrom("users").where("id", "=", user).execute();
  expect(await db.selectFrom("identities").selectAll().execute()).toEqual([]);
  expect(await db.selectFrom("reviews").select("user_id").execute()).toEqual([{ user_id: users[1] }]);
  expect(await db.selectFrom("tallies").select(["no", "very_little", "yes"]).execute()).toEqual([
    { no: 0, very_little: 0, yes: 1 },
  ]);
});

test("a show that has a review cannot be deleted; one that lost its last review can", async () => {
  await review(db);
  await expect(db.deleteFrom("shows").where("id", "=", show).execute()).rejects.toThrow("reviews_show_id_fkey");
  await db.deleteFrom("reviews").execute();
  await db.deleteFrom("shows").where("id", "=", show).execute();
  expect(await db.selectFrom("tallies").where("show_id", "=", show).selectAll().execute()).toEqual([]);
});

const change = fc.record({
  kind: fc.constantFrom("write", "write", "write", "answer", "time", "move", "delete", "delete user"),
  show_id: fc.constantFrom(...shows),
  other_show: fc.constantFrom(...shows),
  user_id: fc.constantFrom(...users),
  audience_interaction: fc.constantFrom(...interactions),
  created_at: fc.nat(5).map((hour) => new Date(Date.UTC(2025, 7, 1, hour))),
});
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

/** One change to the reviews; without a review to change it is none. */
async function apply(db: Kysely<Schema>, made: Change): Promise<void> {
  const { kind, show_id, user_id, audience_interaction, created_at, other_show } = made;
  const one = db.updateTable("reviews").where("show_id", "=", show_id).where("user_id", "=", user_id);
  if (kind === "write") {
    await db
      .insertInto("reviews")
      .values({ show_id, user_id, audience_interaction, created_at })
      .onConflict((conflict) =>
        conflict.columns(["show_id", "user_id"]).doUpdateSet({ audience_interaction, created_at }),
      )
      .execute();
  }
  if (kind === "answer") await one.set({ audience_interaction }).execute();
  if (kind === "time") await one.set({ created_at }).execute();
  if (kind === "move") {
    const taken = db.selectFrom("reviews").select("user_id").where("show_id", "=", other_show);
    await one.set({ show_id: other_show }).where("user_id", "not in", taken).execute();
  }
  if (kind === "delete") {
    await db.deleteFrom("reviews").where("show_id", "=", show_id).where("user_id", "=", user_id).execute();
  }
  if (kind === "delete user") {
    await db.deleteFrom("users").where("id", "=", user_id).execute();
    await addUsers(db);
  }
}

/** The tallies as they are kept, and as a recount of all reviews has them. */
async function bothTallies(db: Kysely<Schema>) {
  const kept = await sql`
    select shows.id, coalesce(no, 0) as no, coalesce(very_little, 0) as very_little, coalesce(yes, 0) as yes, latest_at
    from shows left join tallies on show_id = id order by id`.execute(db);
  const counted = await sql`
    select shows.id,
      (count(*) filter (where audience_interaction = 'no'))::integer as no,
      (count(*) filter (where audience_interaction = 'very_little'))::integer as very_little,
      (count(*) filter (where audience_interaction = 'yes'))::integer as yes,
      max(reviews.created_at) as latest_at
    from shows left join reviews on show_id = id group by shows.id order by id`.execute(db);
  return { kept: kept.rows, counted: counted.rows };
}

test("whatever is done to reviews, the tallies are what a recount finds", async () => {
  const changes = fc.array(change, { minLength: 1, maxLength: 20, size: "max" });
  const property = fc.asyncProperty(
    changes,
    untilTimeLimit(async (changes) => {
      const transaction = await db.startTransaction().execute();
      try {
        for (const made of changes) await apply(transaction, made);
        const { kept, counted } = await bothTallies(transaction);
        expect(kept).toEqual(counted);
      } finally {
        await transaction.rollback().execute();
      }
    }),
  );
  await fc.assert(property, { numRuns: 60 });
});

test("so they are when many write at once", async () => {
  const byUser = (user_id: string) =>
    fc.sample(change, 40).filter(({ kind }) => kind !== "delete user").map((made) => ({ ...made, user_id })); // biome-ignore format: one chain
  const writers = users.map(async (user_id) => {
    for (const made of byUser(user_id)) await apply(db, made);
  });
  await Promise.all(writers);
  const { kept, counted } = await bothTallies(db);
  expect(kept).toEqual(counted);
});

test("people who reviewed the same shows can be deleted at once", async () => {
  for (let round = 0; round < 10; round++) {
    await addUsers(db);
    for (const [index, user_id] of users.entries()) {
      const order = index % 2 ? shows : shows.toReversed();
      for (const show_id of order) await review(db, { show_id, user_id });
    }
    await Promise.all(users.map((id) => db.deleteFrom("users").where("id", "=", id).execute()));
  }
  const { kept, counted } = await bothTallies(db);
  expect(kept).toEqual(counted);
});

test("the first reviews of a show, written at once, are all counted", async () => {
  await Promise.all(users.map((user_id) => review(db, { user_id })));
  const { kept, counted } = await bothTallies(db);
  expect(kept[0]).toMatchObject({ id: show, no: users.length });
  expect(kept).toEqual(counted);
});

test("a review that has to wait for a newer one of the same show does not hide it", async () => {
  await review(db, { user_id: users[2] });
  const [first, second] = [await db.startTransaction().execute(), await db.startTransaction().execute()];
  await review(first, { created_at: new Date("2100-01-01") });
  const waiting = review(second, { user_id: users[1] });
  const waits = () =>
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      .execute(db)
      .then(({ rows }) => rows.length);
  await expect.poll(waits, { timeout: 5_000 }).toBe(1);
  await first.commit().execute();
  await waiting;
  await second.commit().execute();
  const { kept, counted } = await bothTallies(db);
  expect(kept).toEqual(counted);
});

test("changed tallies are announced whole once they are committed, and to the version before by the show's id", async () => {
  const client = new pg.Client({ connectionString: database.url });
  const heard: { tallies: string[]; tallies_changed: string[] } = { tallies: [], tallies_changed: [] };
  client.on("notification", ({ channel, payload = "" }) => heard[channel as keyof typeof heard].push(payload));
  await client.connect();
  await client.query("listen tallies; listen tallies_changed");
  const undone = await db.startTransaction().execute();
  await review(undone, { show_id: otherShow });
  await undone.rollback().execute();
  await review(db);
  await db.updateTable("reviews").set({ audience_interaction: "yes" }).execute();
  await db.deleteFrom("reviews").execute();
  await expect.poll(() => heard.tallies_changed, { timeout: 5_000 }).toEqual([show, show, show]);
  const latest_at = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  expect(heard.tallies.map((payload) => decodeTalliesUpdate(payload))).toEqual([
    { showId: show, tallies: { no: 1, very_little: 0, yes: 0, latest_at, revision: 1 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 1, latest_at, revision: 2 } },
    { showId: show, tallies: { no: 0, very_little: 0, yes: 0, latest_at: null, revision: 3 } },
  ]);
  await client.end();
});
