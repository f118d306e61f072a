import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inventReviewers, liftLimits, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import { banUser, deleteUser } from "../../src/auth/store/manage-users.server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { removeNotes, removeReview } from "../../src/reviews/moderation.server.ts";
import { runAdmin } from "../support/admin.ts";
import { whileThereIsTime } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";
import { teachComparisons } from "../support/specified-list.ts";
import { expectToTellWhatIsStored } from "../support/specified-reviews.ts";

vi.setConfig({ testTimeout: 180_000 }); // for a busy machine: it asks a server a thousand times, and starts programs

const shows = ["show-1", "show-2", "show-3"];
const USERS = 8;

let database: Database;
let site: Site;
let people: Reviewer[];

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await teachComparisons(db);
  await pretendRefreshed(db);
  await liftLimits(db);
  await sql`insert into shows (id, title, year, status)
    select id, 'About ' || id, 2025, 'active' from unnest(${shows}::text[]) id`.execute(db);
  site = await startSite({ DATABASE_URL: database.url });
});
afterAll(async () => {
  await site.end();
  await database.close();
});
beforeEach(startAnew);

async function startAnew(): Promise<void> {
  await sql`delete from users`.execute(database.db);
  people = await inventReviewers(database.db, site.origin, USERS);
}

const act = fc.record({
  kind: fc.constantFrom(
    ...(["review", "review", "review", "review", "review", "again", "take review", "take notes"] as const),
    ...(["ban", "ban and remove", "delete"] as const),
  ),
  user: fc.nat(USERS - 1),
  show_id: fc.constantFrom(...shows),
  audience_interaction: fc.constantFrom(...interactions),
  notes: fc.option(fc.constantFrom("Lovely", "They sang", " Sit at the back ", "<b>"), { nil: null }),
});
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

/** Does it, and what it is answered is what it should be: whoever was shut out writes nothing. */
async function perform({ kind, user, ...review }: Act, shutOut: Set<number>): Promise<void> {
  const { db } = database;
  const person = people[user] ?? expect.fail();
  const which = { showId: review.show_id, userId: person.id };
  if (kind === "review" || kind === "again") {
    for (let time = 0; time < (kind === "again" ? 2 : 1); time++) {
      expect((await sendReview(site.origin, person, review)).status).toBe(shutOut.has(user) ? 401 : 200);
    }
    return;
  }
  if (kind === "take review") await removeReview(db, which);
  if (kind === "take notes") await removeNotes(db, which);
  if (kind === "ban") await banUser(db, person.id, { removeReviews: false });
  if (kind === "ban and remove") await banUser(db, person.id, { removeReviews: true });
  if (kind === "delete") await deleteUser(db, person.id);
  if (kind === "ban" || kind === "ban and remove" || kind === "delete") shutOut.add(user);
}

test("whatever people write and the operator removes, tallies, list and notes are what is stored", async () => {
  const acts = fc.array(act, { minLength: 1, maxLength: 25, size: "max" });
  await fc.assert(
    fc.asyncProperty(
      acts,
      whileThereIsTime(async (performed) => {
        await startAnew();
        const shutOut = new Set<number>();
        for (const one of performed) await perform(one, shutOut);
        await expectToTellWhatIsStored(database.db, [site]);
      }),
    ),
    { numRuns: 15 },
  );
});

test("a running server follows what the operator's command removes", async () => {
  const [first, second, third, fourth] = people;
  if (!first || !second || !third || !fourth) expect.fail();
  for (const [index, person] of [first, second, third, fourth].entries()) {
    for (const show_id of shows) {
      const review = { show_id, audience_interaction: interactions[index % 3] ?? "no", notes: `By ${index}` };
      expect((await sendReview(site.origin, person, review)).status).toBe(200);
    }
  }
  await expectToTellWhatIsStored(database.db, [site]);
  for (const args of [
    ["remove-notes", "show-1", first.id],
    ["remove-review", "show-2", second.id],
    ["ban-user", third.id, "--remove-reviews"],
    ["delete-user", fourth.id],
  ]) {
    expect(await runAdmin(database, args)).toMatchObject({ exit: 0, err: "" });
    await expectToTellWhatIsStored(database.db, [site]);
  }
  expect(await database.db.selectFrom("reviews").select("notes").orderBy("notes").execute()).toEqual(
    ["By 0", "By 0", "By 1", "By 1", null].map((notes) => ({ notes })),
  );
});
