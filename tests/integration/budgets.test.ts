import { once } from "node:events";
import { Agent, get } from "node:http";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { PoolClient } from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type AskTogether, askTogether } from "../../src/database/batch.server.ts";
import { inTimeOnConnection } from "../../src/database/in-time.server.ts";
import { listen } from "../../src/database/listen.server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import type { Schema } from "../../src/database/schema.server.ts";
import { createNotes } from "../../src/reviews/notes.server.ts";
import { findNotes, findReviewsOf, writeReview } from "../../src/reviews/review-queries.server.ts";
import { readToldTallies, type ToldTallies } from "../../src/reviews/told-tallies.server.ts";
import { type Catalogue, createCatalogue } from "../../src/shows/catalogue.server.ts";
import { type CatalogueFeed, feedCatalogue } from "../../src/shows/catalogue-feed.server.ts";
import { listShows } from "../../src/shows/show-queries.server.ts";
import { type BuiltApp, createBuiltApp } from "../support/built-app.ts";
import { readMetrics } from "../support/metrics.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { type InventedReviewer, inventReviewers, reviewHeaders } from "../support/reviewers.ts";
import { pretendRefreshed, startSite } from "../support/site.ts";
import { type Statement, type StatementRecorder, startStatementRecorder } from "../support/statements.ts";

/** Enough for PostgreSQL to see that reading all of a table costs more than an index. */
const SHOWS = 40;
const REVIEWS_EACH = 300;

/** What a kept answer may leave in old memory, in bytes. */
const MOST_LEFT = 60;

/** And a transaction: its queries alone take some thousand. */
const MOST_LEFT_BY_TRANSACTION = 500;

const origin = "http://site.example";
const pageOfShows = Array.from({ length: 20 }, (_, index) => `show-${index + 1}`);

let database: Database;
let recorder: StatementRecorder;
let recorded: Database;
let catalogue: Catalogue;
let feed: CatalogueFeed;
let app: BuiltApp;
let people: InventedReviewer[];

/** What this server shows of its own writes. */
const told: ToldTallies[] = [];
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
  recorder = await startStatementRecorder(database.url);
  recorded = connectDatabase(recorder.url, log, recorder.close);
  catalogue = createCatalogue();
  const notes = createNotes(recorded.db);
  feed = feedCatalogue({ catalogue, databaseUrl: recorded.url, log });
  await feed.reload();
  app = await createBuiltApp(recorded, { catalogue, notes, origin, onWritten: (written) => told.push(written) });
});
afterAll(async () => {
  feed.close();
  await recorded.close();
  await database.close();
});

/** Every statement that is sent to the database for a request, which has to succeed. */
async function statementsOf(path: string, request: RequestInit = {}): Promise<Statement[]> {
  recorder.take();
  const headers = { apikey: "front-row-public", ...request.headers };
  const answer = await app.ask(path, { ...request, headers });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
  return recorder.take();
}

/** A review by somebody who has not written one of this show that says the same. */
function writing(reviewer: InventedReviewer | undefined, showId: string, notes: string): RequestInit {
  if (!reviewer) throw new Error("There is nobody to review");
  const review = { show_id: showId, user_id: reviewer.id, audience_interaction: "yes", notes };
  return { method: "PUT", headers: reviewHeaders(reviewer), body: JSON.stringify(review) };
}

describe("statements", () => {
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
      recorder.take();
      await (await app.ask(path, { headers: { apikey: "front-row-public" } })).arrayBuffer();
      expect(recorder.take(), path).toEqual([]);
    }
  });

  test("the notes of a whole page of shows take one, and none when they are known", async () => {
    const path = `/api/reviews?${pageOfShows.map((id) => `show_id=${id}`).join("&")}`;
    expect(await statementsOf(path)).toHaveLength(1);
    expect(await statementsOf(`${path}&show_id=${pageOfShows[0]}`)).toEqual([]);
  });

  test("one's own reviews take two: whose session it is, and the reviews", async () => {
    const [first, second] = people;
    await statementsOf("/api/reviews/mine", { headers: first && reviewHeaders(first) });
    const own = await statementsOf("/api/reviews/mine", { headers: second && reviewHeaders(second) });
    expect(own).toHaveLength(2);
  });

  test("a review takes six, and three round trips: its session with its limits, and a transaction of five in two", async () => {
    await statementsOf("/api/reviews", writing(people[2], "show-1", "The first one reads the keys too."));
    const written = await statementsOf("/api/reviews", writing(people[3], "show-2", "This one does not."));
    expect(written, written.map(({ sql }) => sql).join("\n")).toHaveLength(6);
    expect(written.map(({ isFirst }) => isFirst)).toEqual([true, true, false, false, false, true]);
  });

  test("to show it takes none: this server is told by the answer, and others by the notification", async () => {
    const others: string[] = [];
    const handlers = { tallies: (payload: string) => others.push(payload) };
    const listening = listen({ url: database.url, handlers, onConnected: () => {}, log });
    await listening.tried;
    const written = await statementsOf("/api/reviews", writing(people[4], "show-7", "It is in the list at once."));
    expect(written).toHaveLength(6);
    await vi.waitUntil(() => others.length > 0);
    expect(others.map(readToldTallies)).toEqual(told.slice(-1));
    await listening.close();
  });
});

describe("rows read", () => {
  /** How many rows of each table a piece of work reads, and how often it reads a whole one. Nothing of it is kept. */
  async function rowsRead(work: (db: Kysely<Schema>, connection: PoolClient) => Promise<unknown>) {
    const connection = await database.pool.connect();
    const held = { query: connection.query.bind(connection), release: () => {} };
    const dialect = new PostgresDialect({ pool: { connect: async () => held, end: async () => {}, options: {} } });
    const db = new Kysely<Schema>({ dialect });
    await connection.query("begin");
    try {
      const before = await tableReads(db);
      await work(db, connection);
      return difference(before, await tableReads(db));
    } finally {
      await connection.query("rollback");
      connection.release();
    }
  }

  test("the notes of a page: some of each answer's newest, whatever else is written of the shows", async () => {
    const read = await rowsRead((db) => findNotes(db, pageOfShows));
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(20 * 3 * 6);
    expect(read.rows.tallies).toBeLessThanOrEqual(SHOWS);
  });

  test("one's own reviews: these alone", async () => {
    const read = await rowsRead((db) => findReviewsOf(db, people[5]?.id ?? ""));
    expect(read).toEqual({ rows: { reviews: SHOWS }, scans: [] });
  });

  test("a review: a handful, however many there are of the show", async () => {
    const review = {
      show_id: "show-9",
      user_id: people[6]?.id ?? "",
      audience_interaction: "yes",
      notes: "So it was.",
    } as const;
    const read = await rowsRead((_db, connection) =>
      writeReview((executions) => askTogether(connection, executions), review),
    );
    expect(read.scans).not.toContain("reviews");
    expect(read.rows.reviews).toBeLessThanOrEqual(3);
  });

  test("the catalogue: the shows and their tallies, and no review", async () => {
    recorder.take();
    await feed.reload();
    const read = recorder.take().map((statement) => statement.sql);
    expect(read.some((text) => /\btallies\b/.test(text))).toBe(true);
    expect(read.filter((text) => /\breviews\b/.test(text))).toEqual([]);
  });

  test("the catalogue again: the words of those shows alone that have others now", async () => {
    await feed.reload();
    const wordsRead = async () => {
      recorder.take();
      await feed.reload();
      return recorder.take().filter((statement) => /\brow_to_json\b/.test(statement.sql)).length;
    };
    expect(await wordsRead()).toBe(0);
    await sql`update shows set description = 'Now with newts' where id in (select id from shows where listed limit 3)`.execute(
      database.db,
    );
    expect(await wordsRead()).toBe(1);
    expect(await wordsRead()).toBe(0);
  });
});

test.each(["/api/shows", "/api/reviews?show_id=show-1"])(
  "an answer of %s that is given again leaves next to nothing in old memory, which is tidied up in pauses",
  async (path) => {
    await pretendRefreshed(database.db);
    const site = await startSite({ DATABASE_URL: database.url });
    try {
      const askOften = () => askAgain(site.origin + path, 10_000);
      const oldMemory = async () =>
        (await readMetrics(site.origin)).get('nodejs_heap_space_size_used_bytes{space="old"}');
      await askOften(); // compiled, connected, kept
      const before = (await oldMemory()) ?? 0;
      await askOften();
      expect(((await oldMemory()) ?? Number.POSITIVE_INFINITY) - before).toBeLessThan(10_000 * MOST_LEFT);
    } finally {
      await site.end();
    }
  },
);

test("a page whose cards are drawn already lets others have their turn four times once it has its list", async () => {
  await app.get("/?search=sho");
  let turns = 0;
  let turnsBefore = 0;
  const list = vi.spyOn(catalogue, "list").mockImplementationOnce((query) => {
    turnsBefore = turns;
    return catalogue.list(query);
  });
  const counting = new AbortController();
  const counted = (async () => {
    for (; !counting.signal.aborted; turns++) await nextTurn();
  })();
  const page = await app.get("/?search=show"); // the same shows
  const turnsBetween = turns - turnsBefore;
  counting.abort();
  await counted;
  list.mockRestore();
  expect(page.status).toBe(200);
  expect(turnsBetween).toBeGreaterThanOrEqual(4);
});

test("a transaction on a bare connection, as every review has one, leaves next to nothing in old memory", async () => {
  const collect = exposeCollecting();
  const transact = async (times: number) => {
    for (let time = 1; time <= times; time++) {
      const select = (ask: AskTogether) =>
        ask([{ statement: { name: "budget", text: "select $1::text" }, values: ["yes"] }]);
      await inTimeOnConnection(database.pool, select, performance.now() + 60_000);
      if (time % 50 === 0) collect({ type: "minor" });
    }
  };
  await transact(500); // connected, prepared
  collect({ type: "major" });
  const before = oldMemoryUsed();
  await transact(1_000);
  expect(oldMemoryUsed() - before).toBeLessThan(1_000 * MOST_LEFT_BY_TRANSACTION);
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
  recorder.take();
  const written = await listShows(trx, refreshed);
  await trx.rollback().execute(); // for whoever comes next nothing has changed
  const sent = recorder.take().filter((statement) => statement.sql.includes("insert into shows"));
  const ids = sent.flatMap(({ parameters: [shows] }) => JSON.parse(shows ?? "[]").map(({ id }: { id: string }) => id));
  expect(ids).toEqual([first.id, third.id, "another"]);
  expect(written.toSorted()).toEqual(ids.toSorted());
});

type Reads = Map<string, { rows: number; scans: number }>;

/** What this transaction, and what was not reported yet, has read. */
async function tableReads(db: Kysely<Schema>): Promise<Reads> {
  const { rows } = await sql<{ name: string; rows: number; scans: number }>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows, seq_scan::integer as scans
    from pg_stat_xact_user_tables where schemaname = 'public'`.execute(db);
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

/** Has V8 collect garbage when told to: what is young, or all. */
function exposeCollecting(): (options: { type: "minor" | "major" }) => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
}

/** How much old memory V8 uses, in bytes. */
function oldMemoryUsed(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? Number.NaN;
}

/** Asks for what is at an address so many times, over a few connections. */
async function askAgain(address: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const options = { agent, headers: { apikey: "front-row-public" } };
  const ask = async () => {
    const [answer] = await once(get(address, options), "response");
    await text(answer);
    expect(answer.statusCode).toBe(200);
  };
  for (let asked = 0; asked < times; asked += 100) await Promise.all(Array.from({ length: 100 }, ask));
  agent.destroy();
}
