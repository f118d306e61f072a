import { type CompiledQuery, type LogEvent, sql, type Transaction } from "kysely";
import { pino } from "pino";
import { afterAll, expect, test, vi } from "vitest";
import { inventReviewers, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../../src/catalogue/sync.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { findBursts } from "../../src/moderation/store/bursts.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import {
  decodeTalliesUpdate,
  findReviewsByUser,
  type TalliesUpdate,
  writeReview,
} from "../../src/reviews/store/reviews-table.server.ts";
import { findNotes, findNotesPage } from "../../src/reviews/store/visible-notes.server.ts";
import { createBuiltApp } from "../support/built-app.ts";
import { givenReviews, givenShows, givenUsers } from "../support/given.ts";
import { setUpDatabase } from "../support/set-up.ts";

/** Enough rows for PostgreSQL to prefer an index to a sequential scan. */
const SHOWS = 40;
const REVIEWS_EACH = 300;
const origin = "http://site.example";
const pageOfShows = Array.from({ length: 20 }, (_, index) => `show-${index + 1}`);
const log = pino({ level: "silent" });
const database = await setUpDatabase();
const shows = await givenShows(database.db, SHOWS);
const reviewers = await inventReviewers(database.db, origin, 8);
const users = [...reviewers.map(({ id }) => id), ...(await givenUsers(database.db, REVIEWS_EACH - 8))];
for (const show_id of shows)
  await givenReviews(
    database.db,
    users.map((user_id, n) => ({
      ...{ show_id, user_id, notes: `Note ${n}`, created_at: new Date(Date.UTC(2025, 7, 1, n)) },
      audience_interaction: interactions[n % 3] ?? "no",
    })),
  );
// Vacuum summarizes the index of times, as autovacuum does.
await sql`vacuum analyze`.execute(database.db);

/** Queries through Kysely. Those of the catalogue, which has its own connections, are not recorded. */
let queries: CompiledQuery[] = [];
const logQueries = ({ query }: LogEvent) => void queries.push(query);
const recordedDatabase = connectDatabase(database.url, log, async () => {}, { logQueries });
afterAll(recordedDatabase.close);
const { db } = recordedDatabase;
const catalogue = createCatalogue();
const notes = createNotesCache(db);
const onReloaded = vi.fn();
const sync = createCatalogueSync({ catalogue, db, log, onReloaded });
afterAll(sync.close);
await sync.reload();
/** Updates of the app's own catalogue after a write. */
const publishedUpdates: TalliesUpdate[] = [];
const onWritten = (update: TalliesUpdate) => publishedUpdates.push(update);
const app = await createBuiltApp(recordedDatabase, { catalogue, notes, origin, onWritten });

function takeRecordedQueries(): CompiledQuery[] {
  const recorded = queries;
  queries = [];
  return recorded;
}

async function queriesOfRequest(path: string, request: RequestInit = {}): Promise<CompiledQuery[]> {
  takeRecordedQueries();
  const headers = { apikey: "front-row-public", ...request.headers };
  const response = await app.request(path, { ...request, headers });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return takeRecordedQueries();
}

const own = (index: number) => reviewHeaders(reviewers[index] ?? expect.fail());

/** The queries of a review. A repeated review would send fewer. */
const queriesOfReview = (index: number, show_id: string, notes: string) =>
  queriesOfRequest("/api/reviews", {
    method: "PUT",
    headers: own(index),
    body: JSON.stringify({ show_id, user_id: reviewers[index]?.id, audience_interaction: "yes", notes }),
  });

test("uncached pages, lists and searches send no query", async () => {
  const pages = "/ /?search=show&page=2 /auth /nowhere /?show=nothing /robots.txt /sitemap.xml";
  const paths = `${pages} /api/shows /api/shows?search=1&interaction=yes`.split(" ");
  for (const path of paths) {
    takeRecordedQueries();
    await (await app.request(path, { headers: { apikey: "front-row-public" } })).arrayBuffer();
    expect(takeRecordedQueries(), path).toEqual([]);
  }
});

test.each([
  `/api/reviews?${pageOfShows.map((id) => `show_id=${id}`).join("&")}`,
  ...["/?show=show-30", "/?show=show-31&notes=no&page=2", "/api/reviews?show_id=show-32&answer=yes"],
])("%.50s takes one query, for its notes, and none once they are cached", async (path) => {
  expect(await queriesOfRequest(path)).toHaveLength(1);
  expect(await queriesOfRequest(path)).toEqual([]);
});

test("a user's own reviews take two queries: the session and the reviews", async () => {
  await queriesOfRequest("/api/reviews/mine", { headers: own(0) });
  expect(await queriesOfRequest("/api/reviews/mine", { headers: own(1) })).toHaveLength(2);
});
// The session, its limits, and a transaction of seven. This instance shows the result; others get the notification.
test("a review takes nine queries, and showing it takes none", async () => {
  await queriesOfReview(2, "show-1", "The first request also reads the signing keys.");
  const notifications: string[] = [];
  const handlers = { tallies: (payload: string) => notifications.push(payload) };
  const { url } = database;
  const subscription = subscribeToNotifications({ url, handlers, onConnected: () => {}, log });
  await subscription.firstAttempt;
  const sent = await queriesOfReview(4, "show-7", "It is in the list at once.");
  expect(sent, sent.map(({ sql }) => sql).join("\n")).toHaveLength(9);
  await expect.poll(() => notifications.map(decodeTalliesUpdate)).toEqual(publishedUpdates.slice(-1));
  await subscription.close();
});

/** Read rows and full scans of `reviews` by an operation, whose changes are rolled back. */
async function reviewsRead(operation: (trx: Transaction<Schema>) => Promise<unknown>) {
  const trx = await database.db.startTransaction().execute();
  const count = async () => {
    const { rows } = await sql<{ rows: number; scans: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows, seq_scan::integer as scans
      from pg_stat_xact_user_tables where relid = 'public.reviews'::regclass`.execute(trx);
    return rows[0] ?? expect.fail();
  };
  try {
    // Earlier transactions of the connection may not be reported yet.
    const before = await count();
    await operation(trx);
    const after = await count();
    return { rows: after.rows - before.rows, scans: after.scans - before.scans };
  } finally {
    await trx.rollback().execute();
  }
}

const pageOfNotes = { showId: "show-1", interaction: "no", page: 4 } as const;
const review = { show_id: "show-9", audience_interaction: "yes", notes: "So it was." } as const;

test.each<[string, number, (trx: Transaction<Schema>) => Promise<unknown>]>([
  // They are counted, too, in an index.
  ["the newest notes of a page of shows", 20 * (REVIEWS_EACH + 3 * 6), (trx) => findNotes(trx, pageOfShows)],
  ["a page of the notes of a show", REVIEWS_EACH, (trx) => findNotesPage(trx, pageOfNotes)],
  ["a user's own reviews", SHOWS, (trx) => findReviewsByUser(trx, reviewers[5]?.id ?? "", 1)],
  [
    "the bursts among the few reviews of two hours",
    10,
    (trx) => findBursts(trx, new Date(Date.now() - 7_200_000)),
  ],
  ["a review that is written", 3, (trx) => writeReview(trx, { ...review, user_id: reviewers[6]?.id ?? "" })],
])("%s: at most %i reviews are read, however many there are", async (_, most, operation) => {
  const { rows, scans } = await reviewsRead(operation);
  expect(scans).toBe(0);
  expect(rows).toBeLessThanOrEqual(most);
});

test("a reload of the catalogue reads no review", async () => {
  const lockTransaction = await database.db.startTransaction().execute();
  await sql`lock table reviews in access exclusive mode`.execute(lockTransaction);
  onReloaded.mockClear();
  await sync.reload();
  await lockTransaction.rollback().execute();
  expect(onReloaded).toHaveBeenCalledOnce();
});
