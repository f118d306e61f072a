import { afterAll, beforeEach, expect, test } from "vitest";
import { YEAR } from "../../src/domain/programme.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { givenChanged, givenReviews } from "../support/given.ts";
import { emptyTables, recordingLog, startSmallFestival } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { testRows } from "../support/test-rows.ts";

const { db } = await setUpDatabase();
const { programme, fake } = await startSmallFestival(100);
afterAll(fake.close);
beforeEach(() => emptyTables(db));
const [first = expect.fail(), ...others] = structuredClone(programme);

const [oldId, newId, besideId, lastId] = ["0", "1", "2", "3"].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
  string,
];

type Listed = Record<string, readonly [title: string, artist: string | null]>;

const left = "A reviewed show is not in the list any more";
const exchanged = "A reviewed show has the title and artist of another one now";

/** Refreshes from a programme with these shows. Returns the reasons of log lines about orphaned reviews, by id. */
async function refresh(listed: Listed, message = left, more: object = {}): Promise<Record<string, unknown>> {
  const added = Object.entries(listed).map(([id, [title, artist]]) => ({
    ...first,
    id,
    title,
    artist,
    ...more,
  }));
  programme.splice(0, programme.length, ...others, ...added);
  const { log, lines } = recordingLog();
  const outcome = await refreshShows({ db, api: fake, log });
  expect(outcome).toMatchObject({ outcome: "succeeded" });
  const reports = lines.filter(({ msg }) => msg === message);
  for (const { level } of reports) expect(level).toBe(40);
  return Object.fromEntries(reports.map(({ record, reason }) => [record, reason]));
}

/** Gives each of these shows this number of reviews. */
async function review(counts: Record<string, number>): Promise<void> {
  for (const [show_id, count] of Object.entries(counts))
    await givenReviews(db, Array(count).fill({ show_id }));
}

/** The reports of a refresh with other shows. The next refresh must report nothing. */
async function reportsOf(before: Listed, reviews: Record<string, number>, after: Listed, message = left) {
  expect(await refresh(before, message)).toEqual({});
  await review(reviews);
  const reports = await refresh(after, message);
  expect(await refresh(after, message)).toEqual({});
  return reports;
}

const probably = (successors: string) =>
  `it is probably ${successors} now, and npm run admin -- move-reviews can move them`;

const goblins = ["Tea with Goblins", "The Kettle Club"] as const;

type Titled = readonly [title: string, artist: string | null];

testRows<[string, string, Titled, Titled]>(4, [
  ["accents and an ampersand", "is", ["Café & Ceilidh", "Zoë Ødegård"], ["Cafe and Ceilidh", "Zoe Odegard"]],
  ["no artist, as before,", "is", ["Open Mic", null], ["open  mic", null]],
  ["another title", "is not", goblins, ["Tea with Trolls", "The Kettle Club"]],
  ["another artist", "is not", goblins, ["Tea with Goblins", "The Teapot Club"]],
  ["no artist", "is not", goblins, ["Tea with Goblins", null]],
  ["title and artist swapped", "is not", goblins, ["The Kettle Club", "Tea with Goblins"]],
])("a show under another id with %s %s the successor of one with reviews", async (_, is, before, after) => {
  const found = is === "is" ? probably(newId) : "no listed show has its title and artist";
  expect(await reportsOf({ [oldId]: before }, { [oldId]: 3 }, { [newId]: after })).toEqual({
    [oldId]: `“${before[0]}” has 3 reviews; ${found}`,
  });
});

test("reports a show again when a later refresh has its successor, and then never", async () => {
  const none = "“Tea with Goblins” has 1 review; no listed show has its title and artist";
  expect(await reportsOf({ [oldId]: goblins }, { [oldId]: 1 }, {})).toEqual({ [oldId]: none });
  const successor = { [newId]: goblins };
  expect(await refresh(successor)).toEqual({ [oldId]: expect.stringContaining(probably(newId)) });
  expect(await refresh(successor, left, { genre: "Another Genre" })).toEqual({});
});

test("names every likely successor, also one that was already listed", async () => {
  const before = { [oldId]: goblins, [besideId]: goblins };
  const reports = await reportsOf(before, { [oldId]: 1 }, { [besideId]: goblins, [newId]: goblins });
  expect(reports).toEqual({ [oldId]: expect.stringContaining(probably(`${besideId} or ${newId}`)) });
});

test("reports neither shows without reviews, nor reviewed ones that stay, nor one of another year", async () => {
  const before = { [oldId]: goblins, [besideId]: goblins };
  const after = { [newId]: goblins, [besideId]: goblins };
  expect(await reportsOf(before, { [besideId]: 1 }, after)).toEqual({});
  await refresh({ [lastId]: ["Ladder Songs", null] });
  await review({ [lastId]: 1 });
  await givenChanged(db, "shows", { year: YEAR - 1, listed: false }, { id: lastId });
  expect(await refresh({ [oldId]: ["Ladder Songs", null] })).toEqual({});
});

const owner = (ids: string) =>
  `that show is probably ${ids} now, and npm run admin -- move-reviews can move them, unless it has reviews already: they would be mixed`;

testRows<[string, [string, string | null], [string, string | null]]>(1, [
  ["of two companies", ["Seven Spoons", "The Forks"], ["Moon Lodgers", "Attic Five"]],
  ["of one company", ["Seven Spoons", "The Forks"], ["Moon Lodgers", "The Forks"]],
  ["without artists", ["Seven Spoons", null], ["Moon Lodgers", null]],
])("reports two reviewed shows %s whose ids are exchanged, once", async (_, one, other) => {
  const before = { [oldId]: one, [newId]: other };
  const after = { [oldId]: other, [newId]: one };
  expect(await reportsOf(before, { [oldId]: 2, [newId]: 1 }, after, exchanged)).toEqual({
    [oldId]: `2 reviews of “${one[0]}” stand under it; ${owner(newId)}`,
    [newId]: `1 review of “${other[0]}” stands under it; ${owner(oldId)}`,
  });
});

test("reports a reviewed show whose id another show has now, listed under another id or not", async () => {
  const before: Listed = { [oldId]: ["Seven Spoons", "The Forks"], [besideId]: ["Ladder Songs", "Ivo Reed"] };
  const after: Listed = {
    [oldId]: ["Moon Lodgers", "Attic Five"],
    [besideId]: ["Gravel", "Sixpence"],
    [newId]: ["SEVEN SPOONS", "the forks"],
  };
  expect(await reportsOf(before, { [oldId]: 1, [besideId]: 1 }, after, exchanged)).toEqual({
    [oldId]: `1 review of “Seven Spoons” stands under it; ${owner(newId)}`,
    [besideId]: "1 review of “Ladder Songs” stands under it; no listed show has its title and artist",
  });
});

test("reports no show that is renamed in part, spelled differently, or without reviews", async () => {
  const before: Listed = {
    [oldId]: ["Seven Spoons", "The Forks"],
    [newId]: ["Moon Lodgers", "Attic Five"],
    [besideId]: ["Zoë’s Café", "Jürgen Åhl"],
    [lastId]: ["Ladder Songs", "Ivo Reed"],
  };
  const after: Listed = {
    [oldId]: ["Eight Spoons", "The Forks"],
    [newId]: ["Moon Lodgers", "Attic Six"],
    [besideId]: ["ZOE'S \ufeffCAFE", "Juergen Aahl"],
    [lastId]: ["Gravel", "Sixpence"],
  };
  const reviews = { [oldId]: 1, [newId]: 1, [besideId]: 1 };
  expect(await reportsOf(before, reviews, after, exchanged)).toEqual({});
});
