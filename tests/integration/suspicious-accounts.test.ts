import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/open.server.ts";
import {
  findSuspiciousGroups,
  type SuspiciousGroup,
} from "../../src/moderation/store/suspicious-accounts.server.ts";
import { runAdmin } from "../support/admin.ts";
import { plantRings } from "../support/planted-rings.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { printFigure } from "../support/print-figure.ts";

let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

/** Others than those by which the signs were chosen. */
const seeds = [101, 102, 103];

test("most accounts that it calls likely are of planted rings, and most of those are found", async () => {
  const counts = { planted: 0, likely: 0, plantedLikely: 0, named: 0, plantedNamed: 0 };
  for (const seed of seeds) {
    const ringOf = await plantRings(database.db, seed);
    const groups = await findSuspiciousGroups(database.db);
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

describe("the command", () => {
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const ring = [1, 2, 3].map(id);

  beforeAll(async () => {
    await sql`truncate shows, users cascade`.execute(database.db);
    await sql`insert into shows (id, title, artist, year, status) values
      ('a', 'Moth Hour', 'The Moths', 2025, 'active'), ('b', 'Sit Back', 'Others', 2025, 'active')`.execute(
      database.db,
    );
    await sql`insert into users (id, email, created_at)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '@people.example', '2025-08-01T20:00Z'
      from generate_series(1, 6) n`.execute(database.db);
    await sql`insert into reviews (show_id, user_id, audience_interaction, notes, created_at) values
      ('a', ${id(1)}, 'no', 'A perfect hour for everyone, see it tonight!', '2025-08-02T20:00Z'),
      ('a', ${id(2)}, 'no', 'a PERFECT hour for everyone... see it', '2025-08-04T20:00Z'),
      ('a', ${id(3)}, 'no', 'A perfect hour for absolutely everyone, see it tonight', '2025-08-06T20:00Z'),
      ('a', ${id(4)}, 'yes', 'Great fun!', '2025-08-06T20:00Z'), ('a', ${id(5)}, 'yes', 'Great fun!', '2025-08-06T21:00Z'),
      ('a', ${id(6)}, 'yes', 'Great fun!', '2025-08-07T20:00Z'), ('b', ${id(6)}, 'yes', null, '2025-08-07T21:00Z')`.execute(
      database.db,
    );
  });

  test("says by show who, why, and how to put them in quarantine, after which it is silent", async () => {
    const account = (n: number) =>
      `    ${n}@people.example (${id(n)}), first sign-in 2025-08-01T20:00Z, 1 review\n`;
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
    for (const user of ring) await runAdmin(database, ["unquarantine", user]);
  });
});
