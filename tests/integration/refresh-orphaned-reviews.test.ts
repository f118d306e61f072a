import { afterEach, beforeEach, expect, test } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import type { FakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { givenChanged, givenReviews, givenUsers } from "../support/given.ts";
import { emptyTables, recordingLog, startSmallFestival } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

const database = await setUpDatabase();
let fakeApi: FakeFestivalApi;
let programme: FestivalEvent[];

beforeEach(async () => {
  ({ programme, fake: fakeApi } = await startSmallFestival());
  await emptyTables(database.db);
});
afterEach(() => fakeApi.close());

const leftMessage = "A reviewed show is not in the list any more";
const exchangedMessage = "A reviewed show has the title and artist of another one now";

/** Refreshes. Returns its reports of reviewed shows that are not in the list any more, by id, or other reports. */
async function refresh(message = leftMessage): Promise<Record<string, unknown>> {
  const { log, lines } = recordingLog();
  const { url, key, secret } = fakeApi;
  const outcome = await refreshShows({ db: database.db, api: { url, key, secret }, log });
  expect(outcome).toMatchObject({ outcome: "succeeded" });
  const reports = lines.filter(({ msg }) => msg === message);
  for (const { level } of reports) expect(level).toBe(40);
  return Object.fromEntries(reports.map(({ record, reason }) => [record, reason]));
}

const oldId = "0".repeat(40);
const newId = "1".repeat(40);
const besideId = "2".repeat(40);

/** Adds a show to the programme: a copy of its first one with these fields. */
function add(id: string, title: string, artist: string | null): void {
  const [first = expect.fail()] = programme;
  programme.push({ ...first, id, title, artist });
}

function remove(id: string): void {
  programme.splice(
    programme.findIndex((show) => show.id === id),
    1,
  );
}

async function review(showId: string, count = 1): Promise<void> {
  const users = await givenUsers(database.db, count);
  await givenReviews(
    database.db,
    users.map((user_id) => ({ show_id: showId, user_id })),
  );
}

const probably = (successors: string) =>
  `it is probably ${successors} now, and npm run admin -- move-reviews can move them`;

testRows<[string, [string, string | null], [string, string | null]]>(2, [
  ["accents and an ampersand", ["Café & Ceilidh", "Zoë Ødegård"], ["Cafe and Ceilidh", "Zoe Odegard"]],
  ["no artist", ["Open Mic", null], ["open  mic", null]],
  ["the same texts", ["Tea with Goblins", "The Kettle Club"], ["Tea with Goblins", "The Kettle Club"]],
  ["another case", ["Tea with Goblins", "The Kettle Club"], ["TEA WITH GOBLINS", "the kettle club"]],
  ["curly quotes and dashes", ["It's Me – Again", "D'Arcy"], ["It’s Me - Again", "D’Arcy"]],
  ["invisible characters", ["Soft\u00adly", "No\u200bOne"], ["Softly", "NoOne"]],
])("reports a show that is created again under another id with %s", async (_, before, after) => {
  add(oldId, ...before);
  expect(await refresh()).toEqual({});
  await review(oldId, 3);
  remove(oldId);
  add(newId, ...after);
  const reason = `“${before[0]}” has 3 reviews; ${probably(newId)}`;
  expect(await refresh()).toEqual({ [oldId]: reason });
  expect(await refresh()).toEqual({});
});

testRows<[string, [string, string | null]]>(2, [
  ["another title", ["Tea with Trolls", "The Kettle Club"]],
  ["another artist", ["Tea with Goblins", "The Teapot Club"]],
  ["no artist", ["Tea with Goblins", null]],
  ["title and artist swapped", ["The Kettle Club", "Tea with Goblins"]],
])("takes no show with %s for the successor", async (_, after) => {
  add(oldId, "Tea with Goblins", "The Kettle Club");
  await refresh();
  await review(oldId);
  remove(oldId);
  add(newId, ...after);
  const reason = "“Tea with Goblins” has 1 review; no listed show has its title and artist";
  expect(await refresh()).toEqual({ [oldId]: reason });
});

test("reports a show again when its successor comes in a later refresh, and then no more", async () => {
  add(oldId, "Tea with Goblins", "The Kettle Club");
  await refresh();
  await review(oldId);
  remove(oldId);
  expect(await refresh()).toEqual({ [oldId]: expect.stringMatching(/no listed show/) });
  expect(await refresh()).toEqual({});
  add(newId, "Tea with Goblins", "The Kettle Club");
  expect(await refresh()).toEqual({ [oldId]: expect.stringContaining(probably(newId)) });
  const added = programme.at(-1) ?? expect.fail();
  added.genre = "Another Genre";
  expect(await refresh()).toEqual({});
});

test("names every likely successor, also one that was listed beside it before", async () => {
  add(oldId, "Tea with Goblins", "The Kettle Club");
  add(besideId, "Tea with Goblins", "The Kettle Club");
  await refresh();
  await review(oldId);
  remove(oldId);
  add(newId, "Tea with Goblins", "The Kettle Club");
  expect(await refresh()).toEqual({ [oldId]: expect.stringContaining(probably(`${besideId} or ${newId}`)) });
});

test("reports neither shows without reviews nor reviewed ones that stay", async () => {
  add(oldId, "Tea with Goblins", "The Kettle Club");
  add(besideId, "Tea with Goblins", "The Kettle Club");
  await refresh();
  await review(besideId);
  remove(oldId);
  add(newId, "Tea with Goblins", "The Kettle Club");
  expect(await refresh()).toEqual({});
});

const owner = (ids: string) =>
  `that show is probably ${ids} now, and npm run admin -- move-reviews can move them, unless it has reviews already: they would be mixed`;

/** Gives a show of the programme another title and artist. */
function rename(id: string, title: string, artist: string | null): void {
  Object.assign(programme.find((show) => show.id === id) ?? expect.fail(), { title, artist });
}

testRows<[string, [string, string | null], [string, string | null]]>(1, [
  ["of two companies", ["Seven Spoons", "The Forks"], ["Moon Lodgers", "Attic Five"]],
  ["of one company", ["Seven Spoons", "The Forks"], ["Moon Lodgers", "The Forks"]],
  ["without artists", ["Seven Spoons", null], ["Moon Lodgers", null]],
])(
  "reports two reviewed shows %s whose ids are exchanged, with each other's, once",
  async (_, one, other) => {
    add(oldId, ...one);
    add(newId, ...other);
    await refresh();
    await review(oldId, 2);
    await review(newId);
    rename(oldId, ...other);
    rename(newId, ...one);
    expect(await refresh(exchangedMessage)).toEqual({
      [oldId]: `2 reviews of “${one[0]}” stand under it; ${owner(newId)}`,
      [newId]: `1 review of “${other[0]}” stands under it; ${owner(oldId)}`,
    });
    expect(await refresh(exchangedMessage)).toEqual({});
  },
);

test("reports a reviewed show whose id another show has now, wherever its own is", async () => {
  add(oldId, "Seven Spoons", "The Forks");
  add(besideId, "Ladder Songs", "Ivo Reed");
  await refresh();
  await review(oldId);
  await review(besideId);
  rename(oldId, "Moon Lodgers", "Attic Five");
  rename(besideId, "Gravel", "Sixpence");
  add(newId, "SEVEN SPOONS", "the forks");
  expect(await refresh(exchangedMessage)).toEqual({
    [oldId]: `1 review of “Seven Spoons” stands under it; ${owner(newId)}`,
    [besideId]: "1 review of “Ladder Songs” stands under it; no listed show has its title and artist",
  });
});

test("reports neither a show that is renamed in part, nor one that is written otherwise, nor one without reviews", async () => {
  add(oldId, "Seven Spoons", "The Forks");
  add(newId, "Moon Lodgers", "Attic Five");
  add(besideId, "Zoë’s Café", "Jürgen Åhl");
  const unreviewedId = "3".repeat(40);
  add(unreviewedId, "Ladder Songs", "Ivo Reed");
  await refresh();
  for (const id of [oldId, newId, besideId]) await review(id);
  rename(oldId, "Eight Spoons", "The Forks");
  rename(newId, "Moon Lodgers", "Attic Six");
  rename(besideId, "ZOE'S \ufeffCAFE", "Juergen Aahl");
  rename(unreviewedId, "Gravel", "Sixpence");
  expect(await refresh(exchangedMessage)).toEqual({});
});

test("reports no show of another year, whose title may well come back", async () => {
  add(oldId, "Tea with Goblins", "The Kettle Club");
  await refresh();
  await review(oldId);
  await givenChanged(database.db, "shows", { year: 2024, listed: false }, { id: oldId });
  remove(oldId);
  add(newId, "Tea with Goblins", "The Kettle Club");
  expect(await refresh()).toEqual({});
});
