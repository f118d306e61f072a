import { expect, test } from "vitest";
import { freePort } from "../../dev/harness/free-port.ts";
import { inventReviewers, liftLimits, type Reviewer, sendReview } from "../../dev/harness/reviewers.ts";
import type { Db } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { givenRefresh, givenShows } from "../support/given.ts";
import { createComparisons } from "../support/reference-list.ts";
import { expectServersMatchDatabase } from "../support/reference-reviews.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { startSite } from "../support/site.ts";

const USERS = 30;
const SHOWS = 50;
const WRITES = 4;
const database = await setUpDatabase();
const { db } = database;

test(`killed servers lose no acknowledged review of ${USERS} users and match the database`, async () => {
  await givenRefresh(db);
  await createComparisons(db);
  const showIds = await givenShows(db, SHOWS);
  await liftLimits(db);
  const ports = [await freePort(), await freePort()];
  const ORIGIN = `http://127.0.0.1:${ports[0]}`;
  const start = (port = 0) => startSite({ DATABASE_URL: database.url, ORIGIN, PORT: String(port) });
  const servers = await Promise.all(ports.map(start));
  const reviewers = trackReviewers(await inventReviewers(db, ORIGIN, USERS));
  let isWriting = true;
  const kills = (async () => {
    for (let index = 0; isWriting; index = 1 - index) {
      await servers[index]?.stop("SIGKILL");
      servers[index] = await start(ports[index]);
    }
  })();
  const queue = [...reviewers];
  const work = async () => {
    for (let reviewer = queue.pop(); reviewer; reviewer = queue.pop())
      for (let write = 0; write < WRITES; write++)
        await writeRandomReview(
          reviewer,
          servers.map(({ origin }) => origin),
          showIds,
        );
  };
  await Promise.all(Array.from({ length: 16 }, work));
  isWriting = false;
  await kills;
  const { acknowledged, lost } = await findLostReviews(db, reviewers);
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThan(USERS);
  await expectServersMatchDatabase(db, servers);
  await Promise.all(servers.map((server) => server.stop()));
}, 180_000);

interface TrackedReviewer extends Reviewer {
  /** By show id: the last acknowledged review, and later ones without a response. */
  writes: Map<string, { acknowledged: string | null; unanswered: Set<string> }>;
}

function trackReviewers(reviewers: readonly Reviewer[]): TrackedReviewer[] {
  return reviewers.map((reviewer) => ({ ...reviewer, writes: new Map() }));
}

const pick = <T>(values: readonly T[]): T =>
  values[Math.floor(Math.random() * values.length)] ?? expect.fail();

/** Returns whether it was acknowledged. */
async function writeRandomReview(
  reviewer: TrackedReviewer,
  origins: readonly string[],
  showIds: readonly string[],
): Promise<boolean> {
  const showId = pick(showIds);
  const interaction = pick(interactions);
  const notes = pick(["", "Lovely", "They sang to me", `Only ${Math.random()}`]) || null;
  const content = `${interaction} ${notes}`;
  const record = reviewer.writes.get(showId) ?? { acknowledged: null, unanswered: new Set<string>() };
  reviewer.writes.set(showId, record);
  record.unanswered.add(content);
  const review = { show_id: showId, audience_interaction: interaction, notes };
  const response = await sendReview(pick(origins), reviewer, review).catch(() => null);
  if (response?.status !== 200) return false;
  expect((await response.json().catch(() => null))?.review).toMatchObject({
    audience_interaction: interaction,
    notes,
  });
  // Earlier writes without a response are older: reviewers write one review at a time, and a killed server stores
  // none.
  record.acknowledged = content;
  record.unanswered.clear();
  return true;
}

/** Acknowledged reviews that are missing, or replaced by an older one. */
async function findLostReviews(db: Db, reviewers: readonly TrackedReviewer[]) {
  const rows = await db.selectFrom("reviews").selectAll().execute();
  const stored = new Map(
    rows.map((row) => [`${row.user_id} ${row.show_id}`, `${row.audience_interaction} ${row.notes}`]),
  );
  const writes = reviewers.flatMap(({ id, writes }) =>
    [...writes].map(([showId, record]) => ({ current: stored.get(`${id} ${showId}`), ...record })),
  );
  const lost = writes.filter(({ current, acknowledged, unanswered }) =>
    current === undefined ? acknowledged !== null : current !== acknowledged && !unanswered.has(current),
  );
  return { acknowledged: writes.filter(({ acknowledged }) => acknowledged !== null).length, lost };
}
