import { expect, test } from "vitest";
import {
  findSuspiciousGroups,
  type SuspiciousGroup,
} from "../../src/moderation/store/suspicious-accounts.server.ts";
import { runAdmin } from "../support/admin.ts";
import { givenNone, givenReviews, givenShows, givenUser } from "../support/given.ts";
import { plantRings } from "../support/planted-rings.ts";
import { printFigure } from "../support/print-figure.ts";
import { userId } from "../support/programme.ts";
import { setUpDatabase } from "../support/set-up.ts";

const database = await setUpDatabase();
const { db } = database;

/** Not the seeds that the signs were tuned with. */
const seeds = [101, 102, 103];

test("most likely accounts are of planted rings, and most of the rings are found", async () => {
  const counts = { planted: 0, likely: 0, plantedLikely: 0, named: 0, plantedNamed: 0 };
  for (const seed of seeds) {
    const ringOf = await plantRings(db, seed);
    const groups = await findSuspiciousGroups(db);
    const named = idsOf(groups);
    const likely = idsOf(groups.filter(({ grade }) => grade === "likely"));
    const isPlanted = (id: string) => ringOf.get(id) !== null;
    counts.planted += [...ringOf.keys()].filter(isPlanted).length;
    counts.likely += likely.length;
    counts.plantedLikely += likely.filter(isPlanted).length;
    counts.named += named.length;
    counts.plantedNamed += named.filter(isPlanted).length;
  }
  const { planted, likely, plantedLikely, named, plantedNamed } = counts;
  printFigure("likely accounts: precision", (100 * plantedLikely) / likely, "%");
  printFigure("likely accounts: recall", (100 * plantedLikely) / planted, "%");
  printFigure("all named accounts: precision", (100 * plantedNamed) / named, "%");
  expect(plantedLikely / likely).toBeGreaterThan(0.8);
  expect(plantedLikely / planted).toBeGreaterThan(0.75);
  expect(plantedNamed / named).toBeGreaterThan(0.65);
});

function idsOf(groups: readonly SuspiciousGroup[]): string[] {
  return [...new Set(groups.flatMap(({ accounts }) => accounts.map(({ id }) => id)))];
}

test("the command names accounts and reasons by show, and how to quarantine them; then it prints nothing", async () => {
  const ring = [1, 2, 3].map(userId);
  await givenNone(db, "shows", "users");
  await givenShows(db, [
    { id: "a", title: "Moth Hour", artist: "The Moths" },
    { id: "b", title: "Sit Back", artist: "Others" },
  ]);
  const created_at = new Date("2025-08-01T20:00Z");
  for (const n of [1, 2, 3, 4, 5, 6])
    await givenUser(db, { id: userId(n), email: `${n}@people.example`, created_at });
  const by = (n: number, day: number, notes: string | null, hour = 20) => ({
    ...{ show_id: "a", user_id: userId(n), notes, created_at: new Date(Date.UTC(2025, 7, day, hour)) },
    audience_interaction: n <= 3 ? ("no" as const) : ("yes" as const),
  });
  await givenReviews(db, [
    by(1, 2, "A perfect hour for everyone, see it tonight!"),
    by(2, 4, "a PERFECT hour for everyone... see it"),
    by(3, 6, "A perfect hour for absolutely everyone, see it tonight"),
    by(4, 6, "Great fun!"),
    by(5, 6, "Great fun!", 21),
    by(6, 7, "Great fun!"),
    { ...by(6, 7, null, 21), show_id: "b" },
  ]);
  const account = (n: number) =>
    `    ${n}@people.example (${userId(n)}), first sign-in 2025-08-01T20:00Z, 1 review\n`;
  const out = `Probably one person or company behind several accounts: 1 group

“Moth Hour” (a) by The Moths
  3 accounts wrote nearly the same notes: A perfect hour for everyone, see it tonight!
  from 2025-08-02T20:00Z to 2025-08-06T20:00Z
${[1, 2, 3].map(account).join("")}  npm run admin -- quarantine ${ring.join(" ")}

`;
  expect(await runAdmin(database, ["suspicious"])).toEqual({ exit: 0, out, err: "" });
  const json = JSON.parse((await runAdmin(database, ["suspicious", "--json"])).out);
  expect(json).toMatchObject([
    { sign: "similar_notes", grade: "likely", shows: [{ id: "a" }], accounts: [{}, {}, {}] },
  ]);
  const silent = { exit: 0, out: "Nothing looks suspicious.\n", err: "" };
  expect(await runAdmin(database, ["suspicious", "--since", "2025-08-07"])).toEqual(silent);
  await runAdmin(database, ["quarantine", ...ring]);
  expect(await runAdmin(database, ["suspicious"])).toEqual(silent);
});
