import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import { answers } from "../../src/reviews/review.ts";
import { startAccountsSite } from "../support/accounts.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { inventReviewers, liftLimits, type Reviewer, sendReview } from "../support/reviewers.ts";
import { pretendRefreshed, type Site, startSite } from "../support/site.ts";
import { teachComparisons } from "../support/specified-list.ts";
import { expectToTellWhatIsStored } from "../support/specified-reviews.ts";

const USERS = 200;
const SHOWS = 50;

/** Writes of each user. */
const WRITES = 12;

let database: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Somebody who reviews, and what they know of it. */
interface Witness extends Reviewer {
  /** By show: what the server said it has stored, and what was sent since without an answer. */
  known: Map<string, { acknowledged: string | null; unanswered: Set<string> }>;
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] ?? expect.fail();

/** Writes one review at random, at one of the servers that run, and notes what became of it. */
async function reviewAtRandom(reviewer: Witness, servers: readonly Site[]): Promise<void> {
  const showId = `show-${1 + Math.floor(Math.random() * SHOWS)}`;
  const answer = pick(answers);
  const notes = pick(["", "Lovely", "They sang to me", `Only ${Math.random()}`]) || null;
  const written = `${answer} ${notes}`;
  const known = reviewer.known.get(showId) ?? { acknowledged: null, unanswered: new Set<string>() };
  reviewer.known.set(showId, known);
  known.unanswered.add(written);
  const review = { show_id: showId, audience_interaction: answer, notes };
  const response = await sendReview(pick(servers).origin, reviewer, review).catch(() => null);
  if (response?.status !== 200) return;
  expect((await response.json().catch(() => null))?.review).toMatchObject({ audience_interaction: answer, notes });
  // Whatever was on its way before came before: a reviewer writes one after the other, and a dead server writes nothing more.
  known.acknowledged = written;
  known.unanswered.clear();
}

test(`${USERS} people review ${SHOWS} shows at two servers that are killed and started again meanwhile: nothing that was acknowledged is lost, every tally is right, and every server tells all of it in order`, async () => {
  const { db } = database;
  await pretendRefreshed(db);
  await teachComparisons(db);
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, ${SHOWS}::integer) n`.execute(db);
  await liftLimits(db);
  const world = await startAccountsSite(database.url);
  const servers = [world.site, await startSite(world.variables)];
  const invented = await inventReviewers(db, world.site.origin, USERS);
  const reviewers: Witness[] = invented.map((reviewer) => ({ ...reviewer, known: new Map() }));

  let writing = true;
  const killing = (async () => {
    for (let turn = 0; writing; turn++) {
      const index = turn % 2;
      await servers[index]?.end("SIGKILL");
      servers[index] = await startSite({ ...world.variables, PORT: new URL(servers[index]?.origin ?? "").port });
    }
  })();
  const queue = [...reviewers];
  const worker = async () => {
    for (let reviewer = queue.pop(); reviewer; reviewer = queue.pop()) {
      for (let write = 0; write < WRITES; write++) await reviewAtRandom(reviewer, servers);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  writing = false;
  await killing;

  const stored = await db.selectFrom("reviews").selectAll().execute();
  const reviewOf = new Map(
    stored.map((row) => [`${row.user_id} ${row.show_id}`, `${row.audience_interaction} ${row.notes}`]),
  );
  let acknowledged = 0;
  for (const { id, known } of reviewers) {
    for (const [showId, { acknowledged: last, unanswered }] of known) {
      const kept = reviewOf.get(`${id} ${showId}`);
      if (last !== null) acknowledged++;
      if (kept === undefined) expect(last).toBeNull();
      else expect([last, ...unanswered]).toContain(kept);
    }
  }
  expect(acknowledged).toBeGreaterThan(USERS);

  await expectToTellWhatIsStored(db, servers);

  await Promise.all(servers.map((server) => server.end()));
  await world.close();
}, 180_000);
