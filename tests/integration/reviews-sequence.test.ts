import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { inventReviewers, liftLimits, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import { banUser, deleteUser } from "../../src/accounts/end-account.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { deleteByHand } from "../../src/reviews/store/operator-reviews.server.ts";
import { runAdminProcess } from "../support/admin.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { givenDeleted, givenShows } from "../support/given.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { setUpDatabase, setUpSite } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

vi.setConfig({ testTimeout: 180_000 }); // a thousand requests and several processes, also on a busy machine

const USERS = 8;

const database = await setUpDatabase();
const { db } = database;
await createComparisons(db);
await liftLimits(db);
const shows = await givenShows(db, 3);
const site = await setUpSite(database);
let reviewers: Reviewer[];
beforeEach(reset);

async function reset(): Promise<void> {
  await givenDeleted(db, "users");
  reviewers = await inventReviewers(db, site.origin, USERS);
}

const action = fc.record({
  kind: fc.constantFrom(
    ...([
      "review",
      "review",
      "review",
      "review",
      "review",
      "review twice",
      "remove review",
      "remove notes",
    ] as const),
    ...(["ban", "ban and remove", "delete"] as const),
  ),
  user: fc.nat(USERS - 1),
  show_id: fc.constantFrom(...shows),
  audience_interaction: fc.constantFrom(...interactions),
  notes: fc.option(fc.constantFrom("Lovely", "They sang", " Sit at the back ", "<b>"), { nil: null }),
});
type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

/** Performs the action and checks the status: 401 for users who were banned or deleted, else 200. */
async function perform({ kind, user, ...review }: Action, lockedOut: Set<number>): Promise<void> {
  const reviewer = reviewers[user] ?? expect.fail();
  const key = { showId: review.show_id, userId: reviewer.id };
  if (kind === "review" || kind === "review twice") {
    for (let repeat = 0; repeat < (kind === "review twice" ? 2 : 1); repeat++) {
      expect((await sendReview(site.origin, reviewer, review)).status).toBe(lockedOut.has(user) ? 401 : 200);
    }
    return;
  }
  if (kind === "remove review") await deleteByHand(db, key, "review");
  if (kind === "remove notes") await deleteByHand(db, key, "notes");
  if (kind === "ban") await banUser(db, reviewer.id, { removeReviews: false });
  if (kind === "ban and remove") await banUser(db, reviewer.id, { removeReviews: true });
  if (kind === "delete") await deleteUser(db, reviewer.id);
  if (kind === "ban" || kind === "ban and remove" || kind === "delete") lockedOut.add(user);
}

test("tallies, list and notes equal the stored reviews after any sequence of writes and removals", async () => {
  const actions = fc.array(action, { minLength: 1, maxLength: 25, size: "max" });
  await fc.assert(
    fc.asyncProperty(
      actions,
      untilTimeLimit(async (sequence) => {
        await reset();
        const lockedOut = new Set<number>();
        for (const each of sequence) await perform(each, lockedOut);
        await expectServersMatchDatabase(db, [site]);
      }),
    ),
    { numRuns: 4 },
  );
});

test("a running server follows removals by operator commands", async () => {
  const [first, second, third, fourth] = reviewers;
  if (!first || !second || !third || !fourth) expect.fail();
  for (const [index, reviewer] of [first, second, third, fourth].entries()) {
    for (const show_id of shows) {
      const review = { show_id, audience_interaction: interactions[index % 3] ?? "no", notes: `By ${index}` };
      expect((await sendReview(site.origin, reviewer, review)).status).toBe(200);
    }
  }
  await expectServersMatchDatabase(db, [site]);
  for (const args of [
    ["remove-notes", "show-1", first.id],
    ["remove-review", "show-2", second.id],
    ["ban-user", third.id, "--remove-reviews"],
    ["delete-user", fourth.id],
  ]) {
    expect(await runAdminProcess(database, args)).toMatchObject({ exit: 0, err: "" });
    await expectServersMatchDatabase(db, [site]);
  }
  expect(await storedRows(db, "reviews", ["notes"])).toEqual(
    ["By 0", "By 0", "By 1", "By 1", null].map((notes) => ({ notes })),
  );
});
