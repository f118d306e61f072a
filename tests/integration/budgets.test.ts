import { type CompiledQuery, type LogEvent, sql, type Transaction } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type InventedReviewer, inventReviewers, reviewHeaders } from "../../dev/harness/reviewers.ts";
import { type Catalogue, createCatalogue } from "../../src/catalogue/catalogue.server.ts";
import { type CatalogueSync, createCatalogueSync } from "../../src/catalogue/sync.server.ts";
import { subscribeToNotifications } from "../../src/database/notifications.server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { upsertShows } from "../../src/refresh/shows-table.server.ts";
import { createNotesCache } from "../../src/reviews/api/notes-cache.server.ts";
import { findNotes, findReviewsByUser, writeReview } from "../../src/reviews/api/reviews-table.server.ts";
import { decodeTalliesUpdate, type TalliesUpdate } from "../../src/reviews/api/tallies-notification.server.ts";
import { type BuiltApp, createBuiltApp } from "../support/built-app.ts";
import { createTestDatabase } from "../support/postgres.ts";

/** Enough for PostgreSQL to see that reading all of a table costs more than an index. */
const SHOWS = 40;
const REVIEWS_EACH = 300;

const REVIEW_QUERIES = 11;

const origin = "http://site.example";
const pageOfShows = Array.from({ length: 20 }, (_, index) => `show-${index + 1}`);

let database: Database;
let recorded: Database;
let catalogue: Catalogue;
let sync: CatalogueSync;
let app: BuiltApp;
let people: InventedReviewer[];

/** What was asked through Kysely. The catalogue reads past it, on connections of its own. */
let queries: CompiledQuery[] = [];
/** How often the catalogue was read well. */
let reloads = 0;
/** What this server shows of its own writes. */
const told: TalliesUpdate[] = [];
const log = pino({ level: "silent" });

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await sql`insert into shows (id, title, year, status)
    select 'show-' || n, 'Show ' || n, 2025, 'active' from generate_series(1, ${SHOWS}::integer) n`.execute(db);
  people = await inventReviewers(db, origin, 8);
  await sql`insert into users (email) select n || '@people.example' from generate_series(9, ${REVIEWS_EACH}::integer) n`.execute(
    db,
  );
  await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at)
    select shows.id, users.id, (array['no', 'very_little', 'yes'])[1 + n % 3], 'Note ' || n, '2025-08-01'::timestamptz + n * interval '1 hour'
    from shows, (select id, row_number() over (order by id) as n from users) as users`.execute(db);
  await sql`analyze`.execute(db);
  const logQueries = ({ query }: LogEvent) => void queries.push(query);
  recorded = connectDatabase(database.url, log, async () => {}, { logQueries });
  catalogue = createCatalogue();
  const notes = createNotesCache(recorded.db);
  sync = createCatalogueSync({
    catalogue,
    db: recorded.db,
    log,
    onReloaded: () => {
      reloads++;
    },
  });
  await sync.reload();
  app = await createBuiltApp(recorded, { catalogue, notes, origin, onWritten: (written) => told.push(written) });
});
afterAll(async () => {
  sync.close();
  await recorded.close();
  await database.close();
});

function takeQueries(): CompiledQuery[] {
  const taken = queries;
  queries = [];
  return taken;
}

/** Every query that a request asks the database, which has to succeed. */
async function queriesOf(path: string, request: RequestInit = {}): Promise<CompiledQuery[]> {
  takeQueries();
  const headers = { apikey: "front-row-public", ...request.headers };
  const answer = await app.request(path, { ...request, headers });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return takeQueries();
}

/** A review by somebody who has not written one of this show that says the same. */
function writing(reviewer: InventedReviewer | undefined, showId: string, notes: string): RequestInit {
  if (!reviewer) throw new Error("There is nobody to review");
  const review = { show_id: showId, user_id: reviewer.id, audience_interaction: "yes", notes };
  return { method: "PUT", headers: reviewHeaders(reviewer), body: JSON.stringify(review) };
}

describe("queries", () => {
  test("pages, lists and searches never asked before are answered without the database", async () => {
    const paths = [
      "/",
      "/?search=show&page=2",
      "/auth",
      "/nowhere",
      "/api/shows",
      "/api/shows?search=1&interaction=yes",
    ];
    for (const path of paths) {
      takeQueries();
      await (await app.request(path, { headers: { apikey: "front-row-public" } })).arrayBuffer();
      expect(takeQueries(), path).toEqual([]);
    }
  });

  test("the notes of a whole page of shows take one, and none when they are known", async () => {
    const path = `/api/reviews?${pageOfShows.map((id) => `show_id=${id}`).join("&")}`;
    expect(await queriesOf(path)).toHaveLength(1);
    expect(await queriesOf(`${path}&show_id=${pageOfShows[0]}`)).toEqual([]);
  });

  test("one's own reviews take two: whose session it is, and the reviews", async () => {
    const [first, second] = people;
    await queriesOf("/api/reviews/mine", { headers: first && reviewHeaders(first) });
    const own = await queriesOf("/api/reviews/mine", { headers: second && reviewHeaders(second) });
    expect(own).toHaveLength(2);
  });

  test("a review takes eleven: its session, three limits, and a transaction of seven", async () => {
    await queriesOf("/api/reviews", writing(people[2], "show-1", "The first one reads the keys too."));
    const written = await queriesOf("/api/reviews", writing(people[3], "show-2", "This one does not."));
    expect(written, written.map(({ sql }) => sql).join("\n")).toHaveLength(REVIEW_QUERIES);
  });

  test("to show it takes none: this server is told by the answer, and others by the notification", async () => {
    const others: string[] = [];
    const handlers = { tallies: (payload: string) => others.push(payload) };
    const subscription = subscribeToNotifications({ url: database.url, handlers, onConnected: () => {}, log });
    await subscription.firstAttempt;
    const written = await queriesOf("/api/reviews", writing(people[4], "show-7", "It is in the list at once."));
    expect(written).toHaveLength(REVIEW_QUERIES);
    await vi.waitUntil(() => others.length > 0);
    expect(others.map(decodeTalliesUpdate)).toEqual(told.slice(-1));
    await subscription.close();
  });
});

describe("rows read", () => {
  /** How many rows of each table a piece of work reads, and how often it reads a whole one. Nothing of it is kept. */
  async function rowsRead(work: (trx: Transaction<Schema>) => Promise<unknown>) {
    const trx = await database.db.startTransaction().execute();
    try {
      const before = await tableReads(trx);
      await work(trx);
      return difference(before, await tableReads(trx));
    } finally {
      await trx.rollback().execute();
    }
  }

  test("the notes of a page: some of each answer's newest, whatever else is written of the shows", async () => {
    const read = await rowsRead((trx) => findNotes(trx, pageOfShows));
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(20 * 3 * 6);
    expect(read.rows.tallies).toBeLessThanOrEqual(SHOWS);
  });

  test("one's own reviews: these alone", async () => {
    const read = await rowsRead((trx) => findReviewsByUser(trx, people[5]?.id ?? ""));
    expect(read).toEqual({ rows: { reviews: SHOWS }, scans: [] });
  });

  test("a review: a handful, however many there are of the show", async () => {
    const review = {
      show_id: "show-9",
      user_id: people[6]?.id ?? "",
      audience_interaction: "yes",
      notes: "So it was.",
    } as const;
    const read = await rowsRead((trx) => writeReview(trx, review));
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(3);
  });

  test("the catalogue: no review", async () => {
    const locked = await database.db.startTransaction().execute();
    await sql`lock table reviews in access exclusive mode`.execute(locked);
    const before = reloads;
    await sync.reload();
    await locked.rollback().execute();
    expect(reloads).toBe(before + 1);
  });
});

test("of a programme that is stored, only the shows that are other than before are sent to the database", async () => {
  const trx = await recorded.db.startTransaction().execute();
  const programme = await trx
    .selectFrom("shows")
    .select(["id", "title", "website", "artist", "venue_name", "genre", "description", "year", "status", "details"])
    .orderBy("id")
    .execute();
  const [first, second, third, ...others] = programme;
  if (!first || !second || !third) throw new Error("There are too few shows");
  await trx.updateTable("shows").set({ listed: false }).where("id", "=", third.id).execute();
  const refreshed = [{ ...first, details: { code: "new" } }, second, third, ...others, { ...second, id: "another" }];
  takeQueries();
  const written = await upsertShows(trx, refreshed);
  await trx.rollback().execute(); // for whoever comes next nothing has changed
  const sent = takeQueries().filter((query) => query.sql.includes("insert into shows"));
  const ids = sent.flatMap(({ parameters: [shows] }) => JSON.parse(String(shows)).map(({ id }: { id: string }) => id));
  expect(ids).toEqual([first.id, third.id, "another"]);
  expect(written.toSorted()).toEqual(ids.toSorted());
});

type Reads = Map<string, { rows: number; scans: number }>;

/** What this transaction, and what was not reported yet, has read. */
async function tableReads(trx: Transaction<Schema>): Promise<Reads> {
  const { rows } = await sql<{ name: string; rows: number; scans: number }>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows, seq_scan::integer as scans
    from pg_stat_xact_user_tables where schemaname = 'public'`.execute(trx);
  return new Map(rows.map(({ name, ...reads }) => [name, reads]));
}

function difference(before: Reads, after: Reads) {
  const grown = [...after].map(([name, { rows, scans }]) => {
    const earlier = before.get(name) ?? { rows: 0, scans: 0 };
    return { name, rows: rows - earlier.rows, scans: scans - earlier.scans };
  });
  return {
    rows: Object.fromEntries(grown.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, rows])),
    scans: grown.filter(({ scans }) => scans > 0).map(({ name }) => name),
  };
}
