import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import type { FaultRule } from "../../dev/fake-festival-api/faults.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { loadProgramme } from "../../dev/invented-data.ts";
import { connectDatabase } from "../../src/database/open.server.ts";
import { type RefreshOptions, refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { fromNow, givenReview } from "../support/given.ts";
import {
  emptyTables,
  holdSecondPage,
  listedIds,
  recordingLog,
  refreshRows,
  showRows,
  startSmallFestival,
} from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";
import { testRows } from "../support/test-rows.ts";

const database = await setUpDatabase();
const { db } = database;
let fakeApi: FakeFestivalApi;
let programme: FestivalEvent[];
let log: ReturnType<typeof recordingLog>["log"];
let lines: ReturnType<typeof recordingLog>["lines"];

beforeEach(async () => {
  ({ programme, fake: fakeApi } = await startSmallFestival());
  ({ log, lines } = recordingLog());
  await emptyTables(db);
});
afterEach(() => fakeApi.close());

function refresh(options: Partial<RefreshOptions> = {}) {
  const api = { ...fakeApi, retryDelay: 1 };
  return refreshShows({ db, api, log, ...options });
}

/** The outcome of a successful refresh; counts are 0 unless given. */
const success = (counts: object) => ({
  outcome: "succeeded",
  ...{ listed: 250, added: 0, changed: 0, removed: 0, returned: 0, skipped: 0 },
  ...counts,
});

const idsOf = (events: readonly FestivalEvent[]) => events.map(idOf).sort();

const flipped = (show: FestivalEvent) => [...idOf(show)].toReversed().join("");

/** The nth show of the programme. */
const event = (index: number) => programme[index] ?? expect.fail();

test("lists the whole programme, notifies all instances when shows have changed, and records each run", async () => {
  const client = new pg.Client({ connectionString: database.url });
  const channels: string[] = [];
  await client.connect();
  client.on("notification", ({ channel }) => void channels.push(channel));
  await client.query("listen shows_changed; listen the_end");
  expect(await refresh()).toEqual(success({ added: 250 }));
  expect(await listedIds(db)).toEqual(idsOf(programme));
  const before = await showRows(db);
  expect(await refresh()).toEqual(success({}));
  expect(await showRows(db)).toEqual(before);
  programme.splice(9, 1);
  await refresh();
  await client.query("notify the_end");
  await vi.waitUntil(() => channels.includes("the_end"), 20_000);
  await client.end();
  expect(channels).toEqual(["shows_changed", "shows_changed", "the_end"]);
  const runs = [{ added: 250 }, {}, { listed: 249, removed: 1 }];
  expect(await refreshRows(db)).toMatchObject(runs.map((counts) => success({ ...counts, error: null })));
});

test("writes only new and changed rows", async () => {
  await refresh();
  const before = await showRows(db);
  event(3).title = "Another Title Altogether";
  event(4).warnings = "Kazoos";
  programme.push(...loadProgramme({ from: 250, size: 2 }));
  expect(await refresh()).toEqual(success({ listed: 252, added: 2, changed: 2 }));
  const after = await showRows(db);
  const untouched = before.filter(({ id }) => id !== idOf(event(3)) && id !== idOf(event(4)));
  expect(after).toEqual(expect.arrayContaining(untouched));
  expect(after.find(({ id }) => id === idOf(event(3)))).toMatchObject({ title: "Another Title Altogether" });
});

test("removes a missing show from the list, keeps its reviews, and restores both on its return", async () => {
  await refresh();
  const missing = event(9);
  await givenReview(db, { show_id: idOf(missing) });
  programme.splice(9, 1);
  expect(await refresh()).toEqual(success({ listed: 249, removed: 1 }));
  expect(await listedIds(db)).toEqual(idsOf(programme));
  expect(await storedRows(db, "reviews", ["show_id"])).toEqual([{ show_id: idOf(missing) }]);
  programme.push(missing);
  expect(await refresh()).toEqual(success({ returned: 1 }));
  expect(await listedIds(db)).toEqual(idsOf(programme));
  expect(await storedRows(db, "tallies", ["show_id", "yes"])).toEqual([{ show_id: idOf(missing), yes: 1 }]);
});

test.each<[string, () => void, object]>([
  ["one of them is deleted", () => programme.splice(5, 1), { listed: 249, removed: 1 }],
  [
    "two of them are deleted, and as many are added",
    () => programme.splice(248, 0, ...programme.splice(5, 2).map((show) => ({ ...show, id: flipped(show) }))),
    { added: 2, removed: 2 },
  ],
  ["one of them is moved to the end", () => programme.push(...programme.splice(5, 1)), {}],
  ["one is added in front", () => programme.unshift({ ...event(0), id: "1".repeat(40) }), { listed: 251, added: 1 }],
])("unlists nothing that the list still has when its first page was fetched and %s (docs/product.md §7.3)", async (_, change, counts) => {
  await refresh();
  const hold = holdSecondPage(fakeApi);
  const changing = refresh();
  await hold.reached();
  change();
  hold.release();
  expect(await changing).toEqual(success(counts));
  expect(await listedIds(db)).toEqual(idsOf(programme));
}); // biome-ignore format: a table

test("fetches the list twice to unlist a show, and once otherwise", async () => {
  const requestsOf = async (counts: object) => {
    const before = fakeApi.requests.length;
    expect(await refresh()).toEqual(success(counts));
    return fakeApi.requests.length - before;
  };
  expect(await requestsOf({ added: 250 })).toBe(3);
  programme.push({ ...event(0), id: flipped(event(0)) });
  expect(await requestsOf({ listed: 251, added: 1 })).toBe(3);
  programme.splice(17, 2);
  expect(await requestsOf({ listed: 249, removed: 2 })).toBe(6);
  fakeApi.faults.listDeleted = true;
  fakeApi.faults.deleted.add(idOf(event(7)));
  expect(await requestsOf({ listed: 248, removed: 1 })).toBe(3);
});

const noTotal: FaultRule = { kind: "total", claim: "nothing" };

testRows<[string, FaultRule[]]>(4, [
  [
    "429 with Retry-After, half a body, and a response that never comes",
    [
      { kind: "status", status: 429, retryAfter: 0, times: 2, from: [0] },
      { kind: "truncated", times: 2, from: [100] },
      { kind: "hang", times: 1, from: [200] },
    ],
  ],
  ["a page with too few shows", [{ kind: "short", keep: 60, from: [100], times: 1 }]],
  ["no total, and shows that shift between pages", [noTotal, { kind: "shuffled", places: 60 }]],
  ["a total that changes between pages", [{ kind: "total", claim: 900, from: [0], times: 1 }]],
  ["a total that is too low on one page", [{ kind: "total", claim: 150, from: [100], times: 1 }]],
  ["an empty page in the middle", [{ kind: "short", keep: 0, from: [100], times: 1 }]],
  ["no total, and a page that is empty once", [noTotal, { kind: "short", keep: 0, from: [100], times: 1 }]],
  ["a total that is too low", [{ kind: "total", claim: 120 }]],
])("lists the whole programme despite %s", async (_, rules) => {
  fakeApi.faults.rules = rules;
  expect(await refresh({ api: { ...fakeApi, timeout: timeoutOf(rules), retryDelay: 1 } })).toEqual(
    success({ added: 250 }),
  );
  expect(await listedIds(db)).toEqual(idsOf(programme));
});

/** In ms. Only what never comes must exceed it. */
const timeoutOf = (rules: FaultRule[]) => (rules.some(({ kind }) => kind === "hang") ? 2_000 : 30_000);

const changingTotal: FaultRule[] = [
  { kind: "total", claim: 251, from: [200], every: 2 },
  { kind: "total", claim: 252 },
];

testRows<[string, string, FaultRule[]]>(4, [
  ["a page that never comes", "in time", [{ kind: "hang", from: [200] }]],
  ["a page that always fails", "502", [{ kind: "status", status: 502, from: [100] }]],
  ["a page that always lacks some shows", "247 of 250", [{ kind: "short", keep: 97, from: [0] }]],
  ["a key that the API refuses", "FESTIVAL_API_SECRET", [{ kind: "status", status: 403 }]],
  ["a total that is too high", "250 of 253", [{ kind: "total", claim: 253 }]],
  ["a total that is slightly too high, and changes all the time", "250 of 25", changingTotal],
  ["a total that changes in each pass", "250 of 250", [{ kind: "total", claim: 900, from: [0] }]],
  ["no total and an empty page", "unknown number", [noTotal, { kind: "short", keep: 0, from: [100] }]],
])("%s fails the refresh and changes nothing", async (_, reason, rules) => {
  await refresh();
  const before = await showRows(db);
  event(1).title = "Never Seen";
  fakeApi.faults.rules = rules;
  const outcome = { outcome: "failed", reason: expect.stringContaining(reason) };
  expect(await refresh({ api: { ...fakeApi, timeout: timeoutOf(rules), retryDelay: 1 } })).toMatchObject(
    outcome,
  );
  expect(await showRows(db)).toEqual(before);
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: "The refresh failed; the list stays as it was" });
  const [, failed] = await refreshRows(db);
  expect(failed).toMatchObject({ outcome: "failed", error: expect.stringContaining(reason), listed: null });
  expect(failed?.finished_at).not.toBeNull();
});

test("publishes a list that stays up to 1 % below its total in three passes, with a warning (docs/product.md §7.3)", async () => {
  fakeApi.faults.rules = [{ kind: "total", claim: 252 }];
  expect(await refresh()).toEqual(success({ added: 250 }));
  expect(fakeApi.requests).toHaveLength(9);
  const msg = "The festival counts more shows than it sends; its list was taken";
  expect(lines).toContainEqual(expect.objectContaining({ level: 40, missing: 2, msg }));
  fakeApi.faults.rules = [];
  await refresh();
  expect(await refreshRows(db)).toMatchObject([{ gap: 2 }, { gap: 0 }]);
});

test("a missing show stays listed if the API counts one more than it sends", async () => {
  await refresh();
  fakeApi.faults.rules = [{ kind: "total", claim: 250 }];
  programme.splice(17, 1);
  expect(await refresh()).toEqual(success({}));
});

test("refuses to remove more than 20 % of the list unless allowed (docs/product.md §7.4)", async () => {
  await refresh();
  const before = await showRows(db);
  fakeApi.faults.shrink = 0.7;
  expect(await refresh()).toMatchObject({ outcome: "refused", reason: expect.stringContaining("75 of 250") });
  expect(await showRows(db)).toEqual(before);
  expect(lines.filter(({ level }) => level === log.levels.values.error)).toHaveLength(1);
  expect((await refreshRows(db)).at(-1)).toMatchObject({ outcome: "refused", listed: null });
  fakeApi.faults.shrink = 0.8;
  expect(await refresh()).toEqual(success({ listed: 200, removed: 50 }));
  fakeApi.faults.shrink = 0.1;
  expect(await refresh({ allowShrink: true })).toEqual(success({ listed: 25, removed: 175 }));
});

test("accepts an empty programme only if the API reports a total of 0 and the list is empty", async () => {
  fakeApi.faults.shrink = 0;
  expect(await refresh()).toEqual(success({ listed: 0 }));
  fakeApi.faults.rules = [noTotal];
  expect(await refresh()).toMatchObject({ outcome: "failed" });
  Object.assign(fakeApi.faults, { shrink: 1, rules: [] });
  await refresh();
  fakeApi.faults.shrink = 0;
  expect(await refresh()).toMatchObject({ outcome: "refused" });
  expect(await listedIds(db)).toHaveLength(250);
});

test("fails when more than 5 % of the records are bad (docs/product.md §7.4)", async () => {
  for (const show of programme.slice(0, 12)) fakeApi.faults.spoiled.set(idOf(show), "no title");
  expect(await refresh()).toMatchObject({ outcome: "succeeded", skipped: 12 });
  fakeApi.faults.spoiled.set(idOf(event(12)), "no title");
  expect(await refresh()).toMatchObject({ outcome: "failed", reason: expect.stringContaining("13 of 250") });
});

test("uses the last of two records with the same id (docs/product.md §7.7)", async () => {
  programme.splice(1, 1, { ...event(0), title: "Second Thoughts" });
  fakeApi.faults.rules = [{ kind: "total", claim: 249 }];
  expect(await refresh()).toEqual(success({ listed: 249, added: 249 }));
  const shows = await showRows(db);
  expect(shows.find(({ id }) => id === idOf(event(0)))).toMatchObject({ title: "Second Thoughts" });
});

test("stores records with unusual characters", async () => {
  const unusual = "\u0000\ud800 <b>'\"\\ %_ \u202e🎭\u{10ffff}";
  const website = `https://x.example/${unusual}`;
  Object.assign(event(0), { title: unusual, artist: unusual, genre: unusual, description: unusual, website });
  const performances = [{ start: unusual, end: unusual }];
  Object.assign(event(1), { warnings: unusual, performances });
  expect(await refresh()).toEqual(success({ added: 250 }));
});

test("publishes nothing when its advisory lock is lost, and records that", async () => {
  const hold = holdSecondPage(fakeApi);
  const stopped = refresh();
  await hold.reached();
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(db);
  expect(rows).toHaveLength(1);
  hold.release();
  expect(await stopped).toMatchObject({ outcome: "failed" });
  expect(await listedIds(db)).toEqual([]);
  expect(await refreshRows(db)).toMatchObject([{ outcome: "failed", finished_at: expect.any(Date) }]);
  expect(await refresh()).toEqual(success({ added: 250 }));
});

test("fails without ending the process or logging the password during a database outage", async () => {
  const url = "postgres://nobody:secret-word@127.0.0.1:1/nowhere";
  const unavailable = connectDatabase(url, log, async () => {});
  const reason = expect.stringContaining("ECONNREFUSED");
  expect(await refresh({ db: unavailable.db })).toMatchObject({ outcome: "failed", reason });
  expect(lines).toMatchObject([{ level: 50, msg: "The refresh could not begin" }]);
  expect(JSON.stringify(lines)).not.toContain("secret-word");
  await unavailable.close();
});

test("does nothing when a refresh has succeeded since the given time", async () => {
  await refresh();
  const requestCount = fakeApi.requests.length;
  const since = (seconds: number) => refresh({ unlessSucceededSince: fromNow({ seconds }).toISOString() });
  expect(await since(-60)).toEqual({ outcome: "current" });
  expect(fakeApi.requests).toHaveLength(requestCount);
  expect(await since(60)).toEqual(success({}));
});
