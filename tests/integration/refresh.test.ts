import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import type { FaultRule } from "../../dev/fake-festival-api/faults.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import { inventProgramme } from "../../dev/fake-festival-api/programme.ts";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { connectDatabase, type Database } from "../../src/database/open.server.ts";
import { type RefreshOptions, refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { createTestDatabase } from "../support/postgres.ts";
import {
  emptyTables,
  holdSecondPage,
  listedIds,
  recordingLog,
  refreshRows,
  showRows,
  startSmallFestival,
} from "../support/refreshes.ts";

let database: Database;
let fake: FakeFestivalApi;
let programme: FestivalEvent[];
let log: ReturnType<typeof recordingLog>["log"];
let lines: ReturnType<typeof recordingLog>["lines"];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  ({ programme, fake } = await startSmallFestival());
  ({ log, lines } = recordingLog());
  await emptyTables(database.db);
});
afterEach(() => fake.close());

/** One refresh, with time limits and waits short enough for a test. */
function refresh(options: Partial<RefreshOptions> = {}) {
  const { url, key, secret } = fake;
  const api = { url, key, secret, timeout: 1_000, retryDelay: 1 };
  return refreshShows({ db: database.db, api, log, ...options });
}

/** What a refresh reports that changed nothing but what is given. */
const success = (counts: object) => ({
  outcome: "succeeded",
  ...{ listed: 250, added: 0, changed: 0, removed: 0, returned: 0, skipped: 0 },
  ...counts,
});

const idsOf = (events: readonly FestivalEvent[]) => events.map(idOf).sort();

/** The nth show of the programme. */
function event(index: number): FestivalEvent {
  const found = programme[index];
  if (!found) throw new Error(`There is no show ${index}`);
  return found;
}

async function review(showId: string): Promise<void> {
  const { id } = await database.db
    .insertInto("users")
    .values({ email: `${showId}@people.example` })
    .returning("id")
    .executeTakeFirstOrThrow();
  await database.db
    .insertInto("reviews")
    .values({ show_id: showId, user_id: id, audience_interaction: "yes", notes: "I was Hamlet." })
    .execute();
}

test("a refresh lists the whole programme and is recorded", async () => {
  expect(await refresh()).toEqual(success({ added: 250 }));
  expect(await listedIds(database.db)).toEqual(idsOf(programme));
  expect(await refreshRows(database.db)).toMatchObject([success({ added: 250, error: null })]);
});

test("every instance is told when the shows have changed, and is left alone when they have not", async () => {
  const client = new pg.Client({ connectionString: database.url });
  const told: string[] = [];
  await client.connect();
  client.on("notification", ({ channel }) => void told.push(channel));
  await client.query("listen shows_changed");
  await client.query("listen the_end");
  await refresh();
  await refresh();
  programme.splice(9, 1);
  await refresh();
  await client.query("notify the_end");
  await vi.waitUntil(() => told.includes("the_end"), 20_000);
  await client.end();
  expect(told).toEqual(["shows_changed", "shows_changed", "the_end"]);
});

test("the same programme once more touches no row", async () => {
  await refresh();
  const before = await showRows(database.db);
  expect(await refresh()).toEqual(success({}));
  expect(await showRows(database.db)).toEqual(before);
});

test("only what is new or different is written", async () => {
  await refresh();
  const before = await showRows(database.db);
  event(3).title = "Another Title Altogether";
  event(4).warnings = "Kazoos";
  programme.push(...inventProgramme({ seed: 7, size: 2 }));
  expect(await refresh()).toEqual(success({ listed: 252, added: 2, changed: 2 }));
  const after = await showRows(database.db);
  const untouched = before.filter(({ id }) => id !== idOf(event(3)) && id !== idOf(event(4)));
  expect(after).toEqual(expect.arrayContaining(untouched));
  expect(after.find(({ id }) => id === idOf(event(3)))).toMatchObject({ title: "Another Title Altogether" });
});

test("a show that is gone leaves the list with its reviews kept, and both are back when it is", async () => {
  await refresh();
  const gone = event(9);
  await review(idOf(gone));
  programme.splice(9, 1);
  expect(await refresh()).toEqual(success({ listed: 249, removed: 1 }));
  expect(await listedIds(database.db)).toEqual(idsOf(programme));
  expect(await database.db.selectFrom("reviews").selectAll().execute()).toMatchObject([{ show_id: idOf(gone) }]);
  programme.push(gone);
  expect(await refresh()).toEqual(success({ returned: 1 }));
  expect(await listedIds(database.db)).toEqual(idsOf(programme));
  expect(await database.db.selectFrom("tallies").selectAll().execute()).toMatchObject([
    { show_id: idOf(gone), yes: 1 },
  ]);
});

test("a show that is marked deleted leaves the list", async () => {
  await refresh();
  fake.faults.listDeleted = true;
  fake.faults.deleted.add(idOf(event(5)));
  expect(await refresh()).toEqual(success({ listed: 249, removed: 1 }));
  expect(await listedIds(database.db)).not.toContain(idOf(event(5)));
});

test("a cancelled show stays in the list, marked", async () => {
  await refresh();
  const { id } = await database.db
    .selectFrom("shows")
    .select("id")
    .where("status", "=", "active")
    .executeTakeFirstOrThrow();
  Object.assign(programme.find((show) => idOf(show) === id) ?? {}, { status: "cancelled" });
  expect(await refresh()).toEqual(success({ changed: 1 }));
  const show = await database.db.selectFrom("shows").selectAll().where("id", "=", id).executeTakeFirst();
  expect(show).toMatchObject({ status: "cancelled", listed: true });
});

test.each<[string, FaultRule[]]>([
  ["slow answers", [{ kind: "slow", ms: 100 }]],
  ["an answer that never comes", [{ kind: "hang", from: [100], times: 1 }]],
  ["429 with Retry-After", [{ kind: "status", status: 429, retryAfter: 0, times: 2 }]],
  ["429 with a date to retry after", [{ kind: "status", status: 429, retryAfter: new Date(), times: 2 }]],
  ["a burst of 503", [{ kind: "status", status: 503, from: [200], times: 4 }]],
  ["every other answer a 500", [{ kind: "status", status: 500, every: 2 }]],
  ["dropped connections", [{ kind: "drop", every: 3 }]],
  ["a connection that breaks in the middle", [{ kind: "cut", times: 2 }]],
  ["HTML in place of a list", [{ kind: "html", times: 2 }]],
  ["an empty body", [{ kind: "empty", times: 2 }]],
  ["half a body", [{ kind: "truncated", times: 2 }]],
  ["an object in place of a list", [{ kind: "object", times: 2 }]],
  ["an empty page in the middle", [{ kind: "short", keep: 0, from: [100], times: 1 }]],
  ["a page with too few shows", [{ kind: "short", keep: 60, from: [100], times: 1 }]],
  ["shows that shift between pages", [{ kind: "shuffled", places: 60 }]],
  ["no total", [{ kind: "total", claim: "nothing" }]],
  [
    "no total, and a page lost once",
    [
      { kind: "total", claim: "nothing" },
      { kind: "short", keep: 0, from: [100], times: 1 },
    ],
  ],
  [
    "no total, and shows that shift",
    [
      { kind: "total", claim: "nothing" },
      { kind: "shuffled", places: 60 },
    ],
  ],
  ["a total that is too low", [{ kind: "total", claim: 120 }]],
  ["a total that falls on the way", [{ kind: "total", claim: 900, from: [0] }]],
])("the whole programme comes through %s", async (_, rules) => {
  fake.faults.rules = rules;
  expect(await refresh()).toEqual(success({ added: 250 }));
  expect(await listedIds(database.db)).toEqual(idsOf(programme));
});

test.each<[string, string, FaultRule[]]>([
  ["a page that never comes", "in time", [{ kind: "hang", from: [200] }]],
  ["a page that always fails", "502", [{ kind: "status", status: 502, from: [100] }]],
  ["a connection that is always dropped", "connection", [{ kind: "drop" }]],
  ["a body that is always broken", "no list", [{ kind: "truncated", from: [0] }]],
  ["a page that is always empty", "150 of 250", [{ kind: "short", keep: 0, from: [100] }]],
  ["a page that always lacks a show", "249 of 250", [{ kind: "short", keep: 99, from: [0] }]],
  ["a total that is too high", "250 of 251", [{ kind: "total", claim: 251 }]],
  [
    "no total and a page that is always empty",
    "unknown number",
    [
      { kind: "total", claim: "nothing" },
      { kind: "short", keep: 0, from: [100] },
    ],
  ],
  ["a refused key", "FESTIVAL_API_SECRET", [{ kind: "status", status: 403 }]],
  ["an address that is none of the API's", "404", [{ kind: "status", status: 404 }]],
])("%s fails the refresh, with the list as it was", async (_, reason, rules) => {
  await refresh();
  const before = await showRows(database.db);
  event(1).title = "Never Seen";
  fake.faults.rules = rules;
  const outcome = { outcome: "failed", reason: expect.stringContaining(reason) };
  const timeout = rules.some(({ kind }) => kind === "hang") ? 150 : 10_000;
  expect(await refresh({ api: { ...fake, timeout, retryDelay: 1 } })).toMatchObject(outcome);
  expect(await showRows(database.db)).toEqual(before);
  const [, failed] = await refreshRows(database.db);
  expect(failed).toMatchObject({ outcome: "failed", error: expect.stringContaining(reason), listed: null });
  expect(failed?.finished_at).not.toBeNull();
});

test("a key that the API refuses is not tried again and again", async () => {
  const { url, key } = fake;
  const reason = expect.stringContaining("HTTP 40");
  expect(await refresh({ api: { url, key, secret: "wrong" } })).toEqual({ outcome: "failed", reason });
  expect(fake.requests).toHaveLength(1);
  expect(lines).toMatchObject([{ level: 50, msg: "The refresh failed; the list stays as it was", reason }]);
});

test("a fifth of the list may leave it at once; more are refused, loudly, unless that is allowed", async () => {
  await refresh();
  const whole = await showRows(database.db);
  fake.faults.shrink = 0.7;
  expect(await refresh()).toMatchObject({ outcome: "refused", reason: expect.stringContaining("75 of 250") });
  expect(await showRows(database.db)).toEqual(whole);
  expect(lines.filter(({ level }) => level === log.levels.values.error)).toHaveLength(1);
  expect((await refreshRows(database.db)).at(-1)).toMatchObject({ outcome: "refused", listed: null });
  fake.faults.shrink = 0.8;
  expect(await refresh()).toEqual(success({ listed: 200, removed: 50 }));
  fake.faults.shrink = 0.1;
  expect(await refresh({ allowShrink: true })).toEqual(success({ listed: 25, removed: 175 }));
});

test("an empty programme is believed only if the API says that it is empty, and empties no list", async () => {
  fake.faults.shrink = 0;
  expect(await refresh()).toEqual(success({ listed: 0 }));
  fake.faults.rules = [{ kind: "total", claim: "nothing" }];
  expect(await refresh()).toMatchObject({ outcome: "failed" });
  Object.assign(fake.faults, { shrink: 1, rules: [] });
  await refresh();
  fake.faults.shrink = 0;
  expect(await refresh()).toMatchObject({ outcome: "refused" });
  expect(await listedIds(database.db)).toHaveLength(250);
});

test("a few bad records are skipped and reported; listed shows keep their last good state", async () => {
  await refresh();
  const before = await showRows(database.db);
  const bad = [10, 20, 30, 40].map((index) => idOf(event(index)));
  fake.faults.spoiled = new Map([
    [bad[0] ?? "", "no title"],
    [bad[1] ?? "", "blank title"],
    [bad[2] ?? "", "no id and no url"],
    [bad[3] ?? "", "null"],
  ]);
  expect(await refresh()).toEqual(success({ skipped: 4 }));
  expect(await showRows(database.db)).toEqual(before);
  const reported = lines.filter(({ msg }) => msg === "A festival record was skipped").map(({ record }) => record);
  expect(reported.toSorted()).toEqual([bad[0], bad[1], null, null].toSorted());
});

test("a bad record of a show that was never listed is left out", async () => {
  fake.faults.spoiled.set(idOf(event(0)), "no title");
  expect(await refresh()).toEqual(success({ listed: 249, added: 249, skipped: 1 }));
  expect(await listedIds(database.db)).toEqual(idsOf(programme.slice(1)));
});

test("more than 5 % bad records fail the refresh", async () => {
  for (const show of programme.slice(0, 12)) fake.faults.spoiled.set(idOf(show), "no title");
  expect(await refresh()).toMatchObject({ outcome: "succeeded", skipped: 12 });
  fake.faults.spoiled.set(idOf(event(12)), "no title");
  expect(await refresh()).toMatchObject({ outcome: "failed", reason: expect.stringContaining("13 of 250") });
});

test("of a record that comes twice the last one counts", async () => {
  programme.splice(1, 1, { ...event(0), title: "Second Thoughts" });
  fake.faults.rules = [{ kind: "total", claim: 249 }];
  expect(await refresh()).toEqual(success({ listed: 249, added: 249 }));
  const show = await database.db
    .selectFrom("shows")
    .select("title")
    .where("id", "=", idOf(event(0)))
    .executeTakeFirst();
  expect(show).toEqual({ title: "Second Thoughts" });
});

test("no text of a record, however odd, is too much for the database", async () => {
  const odd = "\u0000\ud800 <b>'\"\\ %_ \u202e🎭\u{10ffff}";
  Object.assign(event(0), {
    title: odd,
    artist: odd,
    genre: odd,
    description: odd,
    website: `https://x.example/${odd}`,
  });
  Object.assign(event(1), {
    warnings: odd,
    code: odd,
    updated: odd,
    performances: [{ start: odd, end: odd }],
  });
  expect(await refresh()).toEqual(success({ added: 250 }));
});

test("of two refreshes at once one does it, and the other says that it is being done", async () => {
  const other = connectDatabase(database.url, log, async () => {});
  const hold = holdSecondPage(fake);
  const first = refresh();
  await hold.reached();
  expect(await refresh({ db: other.db })).toEqual({ outcome: "busy" });
  hold.goOn();
  expect(await first).toEqual(success({ added: 250 }));
  expect(await refresh({ db: other.db })).toEqual(success({}));
  await other.close();
  expect(await refreshRows(database.db)).toHaveLength(2);
});

test("a refresh that is told to stop publishes nothing and says so in its record", async () => {
  const controller = new AbortController();
  const hold = holdSecondPage(fake);
  const { url, key, secret } = fake;
  const stopped = refresh({ signal: controller.signal, api: { url, key, secret, timeout: 20_000 } });
  await hold.reached();
  controller.abort();
  expect(await stopped).toMatchObject({ outcome: "interrupted" });
  expect(await listedIds(database.db)).toEqual([]);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted", finished_at: expect.any(Date) }]);
  hold.goOn();
  expect(await refresh()).toEqual(success({ added: 250 }));
});

test("a refresh whose lock is lost on the way publishes nothing", async () => {
  const hold = holdSecondPage(fake);
  const robbed = refresh();
  await hold.reached();
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(database.db);
  expect(rows).toHaveLength(1);
  hold.goOn();
  expect(await robbed).toMatchObject({ outcome: "failed" });
  expect(await listedIds(database.db)).toEqual([]);
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "failed" }]);
  expect(await refresh()).toEqual(success({ added: 250 }));
});

test("a refresh that finds the database gone fails without ending the process or telling a password", async () => {
  const gone = connectDatabase("postgres://nobody:never-tell@127.0.0.1:1/nowhere", log, async () => {});
  expect(await refresh({ db: gone.db })).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("ECONNREFUSED"),
  });
  expect(lines).toMatchObject([{ level: 50, msg: "The refresh could not begin" }]);
  expect(JSON.stringify(lines)).not.toContain("never-tell");
  await gone.close();
});

test("a run that ended without a word is marked when the next one begins", async () => {
  await database.db.insertInto("refreshes").defaultValues().execute();
  await refresh();
  expect(await refreshRows(database.db)).toMatchObject([{ outcome: "interrupted" }, { outcome: "succeeded" }]);
});

test("a refresh that is only wanted unless there was one does nothing when there was", async () => {
  await refresh();
  const asked = fake.requests.length;
  expect(await refresh({ unlessSucceededSince: new Date(Date.now() - 60_000).toISOString() })).toEqual({
    outcome: "current",
  });
  expect(fake.requests).toHaveLength(asked);
  expect(await refresh({ unlessSucceededSince: new Date(Date.now() + 60_000).toISOString() })).toEqual(success({}));
});
