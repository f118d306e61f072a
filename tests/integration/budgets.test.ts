import { type CompiledQuery, type LogEvent, sql, type Transaction } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type InventedReviewer, inventReviewers, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { type Catalogue, createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { createCatalogueSync } from "../../src/catalogue/sync.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { interactions } from "../../src/domain/review.ts";
import { upsertShows } from "../../src/refresh/shows-table.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { findNotes, findReviewsByUser, writeReview } from "../../src/reviews/store/reviews-table.server.ts";
import {
  decodeTalliesUpdate,
  type TalliesUpdate,
} from "../../src/reviews/store/tallies-notification.server.ts";
import { type BuiltApp, createBuiltApp } from "../support/built-app.ts";
import { givenReviews, givenShows, givenUsers } from "../support/given.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Enough rows for PostgreSQL to prefer an index to a sequential scan. */
const SHOWS = 40;
const REVIEWS_EACH = 300;

const REVIEW_QUERIES = 9;

const origin = "http://site.example";
const pageOfShows = Array.from({ length: 20 }, (_, index) => `show-${index + 1}`);

let database: Database;
let recordedDatabase: Database;
let catalogue: Catalogue;
let sync: ReturnType<typeof createCatalogueSync>;
let app: BuiltApp;
let reviewers: InventedReviewer[];

/** Queries sent through Kysely. The catalogue is not recorded: it has connections of its own. */
let queries: CompiledQuery[] = [];
/** Number of successful reloads of the catalogue. */
let reloads = 0;
/** Updates that the app hands to its own catalogue after a write. */
const publishedUpdates: TalliesUpdate[] = [];
const log = pino({ level: "silent" });

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const shows = await givenShows(db, SHOWS);
  reviewers = await inventReviewers(db, origin, 8);
  const users = [...reviewers.map(({ id }) => id), ...(await givenUsers(db, REVIEWS_EACH - 8))];
  for (const show_id of shows)
    await givenReviews(
      db,
      users.map((user_id, n) => ({
        ...{ show_id, user_id, notes: `Note ${n}`, created_at: new Date(Date.UTC(2025, 7, 1, n)) },
        audience_interaction: interactions[n % 3] ?? "no",
      })),
    );
  await sql`analyze`.execute(db);
  const logQueries = ({ query }: LogEvent) => void queries.push(query);
  recordedDatabase = connectDatabase(database.url, log, async () => {}, { logQueries });
  catalogue = createCatalogue();
  const notes = createNotesCache(recordedDatabase.db);
  sync = createCatalogueSync({
    catalogue,
    db: recordedDatabase.db,
    log,
    onReloaded: () => {
      reloads++;
    },
  });
  await sync.reload();
  app = await createBuiltApp(recordedDatabase, {
    catalogue,
    notes,
    origin,
    onWritten: (update) => publishedUpdates.push(update),
  });
});
afterAll(async () => {
  sync.close();
  await recordedDatabase.close();
  await database.close();
});

function takeRecordedQueries(): CompiledQuery[] {
  const recorded = queries;
  queries = [];
  return recorded;
}

/** Sends a request, which must succeed, and returns the queries that it caused. */
async function queriesOfRequest(path: string, request: RequestInit = {}): Promise<CompiledQuery[]> {
  takeRecordedQueries();
  const headers = { apikey: "front-row-public", ...request.headers };
  const response = await app.request(path, { ...request, headers });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return takeRecordedQueries();
}

/** A request that writes a review. A repeated one would change nothing and send fewer queries. */
function reviewRequest(reviewer: InventedReviewer | undefined, showId: string, notes: string): RequestInit {
  if (!reviewer) throw new Error("The reviewer is missing");
  const review = { show_id: showId, user_id: reviewer.id, audience_interaction: "yes", notes };
  return { method: "PUT", headers: reviewHeaders(reviewer), body: JSON.stringify(review) };
}

describe("queries", () => {
  test("uncached pages, lists and searches send no query", async () => {
    const paths = [
      "/",
      "/?search=show&page=2",
      "/auth",
      "/nowhere",
      "/?show=nothing",
      "/robots.txt",
      "/sitemap.xml",
      "/api/shows",
      "/api/shows?search=1&interaction=yes",
    ];
    for (const path of paths) {
      takeRecordedQueries();
      await (await app.request(path, { headers: { apikey: "front-row-public" } })).arrayBuffer();
      expect(takeRecordedQueries(), path).toEqual([]);
    }
  });

  test("the notes of a page of shows take one query, and none once cached", async () => {
    const path = `/api/reviews?${pageOfShows.map((id) => `show_id=${id}`).join("&")}`;
    expect(await queriesOfRequest(path)).toHaveLength(1);
    expect(await queriesOfRequest(`${path}&show_id=${pageOfShows[0]}`)).toEqual([]);
  });

  test("the page of a show takes one query, for its notes, and none once they are cached", async () => {
    const path = "/?show=show-30";
    expect(await queriesOfRequest(path)).toHaveLength(1);
    expect(await queriesOfRequest(path)).toEqual([]);
  });

  test("a user's own reviews take two queries: the session and the reviews", async () => {
    const [firstReviewer, secondReviewer] = reviewers;
    await queriesOfRequest("/api/reviews/mine", { headers: firstReviewer && reviewHeaders(firstReviewer) });
    const sent = await queriesOfRequest("/api/reviews/mine", {
      headers: secondReviewer && reviewHeaders(secondReviewer),
    });
    expect(sent).toHaveLength(2);
  });

  test("a review takes nine queries: the session, its limits and a transaction of seven", async () => {
    await queriesOfRequest(
      "/api/reviews",
      reviewRequest(reviewers[2], "show-1", "The first request also reads the signing keys."),
    );
    const queriesSent = await queriesOfRequest(
      "/api/reviews",
      reviewRequest(reviewers[3], "show-2", "The second does not."),
    );
    expect(queriesSent, queriesSent.map(({ sql }) => sql).join("\n")).toHaveLength(REVIEW_QUERIES);
  });

  test("showing a review takes no query: this instance uses the result, others the notification", async () => {
    const notifications: string[] = [];
    const handlers = { tallies: (payload: string) => notifications.push(payload) };
    const subscription = subscribeToNotifications({
      url: database.url,
      handlers,
      onConnected: () => {},
      log,
    });
    await subscription.firstAttempt;
    const queriesSent = await queriesOfRequest(
      "/api/reviews",
      reviewRequest(reviewers[4], "show-7", "It is in the list at once."),
    );
    expect(queriesSent).toHaveLength(REVIEW_QUERIES);
    await vi.waitUntil(() => notifications.length > 0);
    expect(notifications.map(decodeTalliesUpdate)).toEqual(publishedUpdates.slice(-1));
    await subscription.close();
  });
});

describe("rows read", () => {
  /** The rows that an operation reads of each table, and the tables it scans. Its changes are rolled back. */
  async function rowsRead(operation: (trx: Transaction<Schema>) => Promise<unknown>) {
    const trx = await database.db.startTransaction().execute();
    try {
      const before = await tableReads(trx);
      await operation(trx);
      return difference(before, await tableReads(trx));
    } finally {
      await trx.rollback().execute();
    }
  }

  test("the notes of a page read the newest of each interaction, however many reviews there are", async () => {
    const read = await rowsRead((trx) => findNotes(trx, pageOfShows));
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(20 * 3 * 6);
    expect(read.rows.tallies).toBeLessThanOrEqual(SHOWS);
  });

  test("a user's own reviews read no others", async () => {
    const read = await rowsRead((trx) => findReviewsByUser(trx, reviewers[5]?.id ?? "", 1));
    expect(read.rows.reviews).toBe(SHOWS);
    expect(read.scans).not.toContain("reviews");
  });

  test("a review reads at most three, however many the show has", async () => {
    const review = {
      show_id: "show-9",
      user_id: reviewers[6]?.id ?? "",
      audience_interaction: "yes",
      notes: "So it was.",
    } as const;
    const read = await rowsRead((trx) => writeReview(trx, review));
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(3);
  });

  test("a reload of the catalogue reads no review", async () => {
    const lockTransaction = await database.db.startTransaction().execute();
    await sql`lock table reviews in access exclusive mode`.execute(lockTransaction);
    const before = reloads;
    await sync.reload();
    await lockTransaction.rollback().execute();
    expect(reloads).toBe(before + 1);
  });
});

test("a refresh sends the database only the shows that changed", async () => {
  const trx = await recordedDatabase.db.startTransaction().execute();
  const programme = await trx
    .selectFrom("shows")
    .select([
      "id",
      "title",
      "website",
      "artist",
      "venue_name",
      "genre",
      "description",
      "year",
      "status",
      "warnings",
      "details",
    ])
    .orderBy("id")
    .execute();
  const [first, second, third, ...others] = programme;
  if (!first || !second || !third) throw new Error("There are fewer than three shows");
  await trx.updateTable("shows").set({ listed: false }).where("id", "=", third.id).execute();
  const changed = [
    { ...first, details: { code: "new" } },
    second,
    third,
    ...others,
    { ...second, id: "another" },
  ];
  takeRecordedQueries();
  const upsertedIds = await upsertShows(trx, changed);
  await trx.rollback().execute(); // leaves the shows as they were for other tests
  const sent = takeRecordedQueries().filter((query) => query.sql.includes("insert into shows"));
  const ids = sent.flatMap(({ parameters: [shows] }) =>
    JSON.parse(String(shows)).map(({ id }: { id: string }) => id),
  );
  expect(ids).toEqual([first.id, third.id, "another"]);
  expect(upsertedIds.toSorted()).toEqual(ids.toSorted());
});

type Reads = Map<string, { rows: number; scans: number }>;

/** Reads of this transaction, and earlier ones of the connection that are not reported yet. */
async function tableReads(trx: Transaction<Schema>): Promise<Reads> {
  const { rows } = await sql<{ name: string; rows: number; scans: number }>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows, seq_scan::integer as scans
    from pg_stat_xact_user_tables where schemaname = 'public'`.execute(trx);
  return new Map(rows.map(({ name, ...reads }) => [name, reads]));
}

function difference(before: Reads, after: Reads) {
  const growth = [...after].map(([name, { rows, scans }]) => {
    const previous = before.get(name) ?? { rows: 0, scans: 0 };
    return { name, rows: rows - previous.rows, scans: scans - previous.scans };
  });
  return {
    rows: Object.fromEntries(growth.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows])),
    scans: growth.filter(({ scans }) => scans > 0).map(({ name }) => name),
  };
}
