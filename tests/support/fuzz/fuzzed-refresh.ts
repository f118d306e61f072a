import fc from "fast-check";
import { expect } from "vitest";
import { z } from "zod";
import { idOf } from "../../../dev/fake-festival-api/listing.ts";
import { inventProgramme } from "../../../dev/fake-festival-api/programme.ts";
import { createCatalogue } from "../../../src/catalogue/catalogue.server.ts";
import { readSnapshot } from "../../../src/catalogue/snapshot-queries.server.ts";
import type { Database } from "../../../src/database/open.server.ts";
import { showPage } from "../../../src/domain/show.ts";
import { refreshShows } from "../../../src/refresh/run-refresh.server.ts";
import { createTestDatabase } from "../postgres.ts";
import { listedIds, recordingLog, refreshRows, showRows } from "../refreshes.ts";
import { type Effect, recordMutation, unchangedRecord } from "./festival-records.ts";
import { pageFaults, startRawFestival } from "./raw-festival.ts";

const events = inventProgramme({ size: 230 });
const ids = events.map(idOf);

/** The records that one refresh brings. */
export const RECORD_COUNT = events.length;

/** What a festival may say at one refresh: some of its records are not as they should be, some come twice, and the total may lie. */
export const festivalArbitrary = fc.record({
  changes: fc.uniqueArray(fc.record({ index: fc.nat(RECORD_COUNT - 1), change: recordMutation }), {
    maxLength: 60,
    size: "max",
    selector: ({ index }) => index,
  }),
  twice: fc.array(fc.nat(RECORD_COUNT - 1), { maxLength: 3 }),
  total: fc.constantFrom("right", "right", "right", null, "", "-5", "1e3", "all of them", "100", "231", "300"),
  trouble: fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    {
      weight: 1,
      arbitrary: fc.record({
        from: fc.constantFrom(0, 100, 200),
        times: fc.constantFrom(1, 1, 4, 5),
        with: fc.constantFrom(...pageFaults),
      }),
    },
  ),
});

type Festival = typeof festivalArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Why a refresh has to fail; null when it has to succeed. */
function reasonToFail({ total, trouble }: Festival, effects: readonly Effect[]): RegExp | null {
  if (trouble?.times === 5) return /HTTP 500|no list/;
  if (Number(total) > RECORD_COUNT && /^\d+$/.test(String(total))) return /stayed incomplete/;
  const bad = effects.filter((effect) => effect === "skipped" || effect === "nameless").length;
  return bad > RECORD_COUNT * 0.05 ? /cannot be understood/ : null;
}

/** A database that is refreshed from whatever a festival says. */
export async function startFuzzedRefresh() {
  const database = await createTestDatabase();
  const festival = await startRawFestival();
  const { db } = database;

  async function refresh() {
    const { log, lines } = recordingLog();
    const api = { url: festival.url, key: "k", secret: "s", retryDelay: 1 };
    const outcome = await refreshShows({ db, api, log, allowShrink: true });
    // What was not foreseen is logged with its stack.
    expect(lines.filter((line) => "err" in line)).toEqual([]);
    expect((await refreshRows(db)).at(-1)).toMatchObject({ outcome: outcome.outcome });
    return outcome;
  }

  festival.serve({
    records: events.map((event) => unchangedRecord(event).json),
    total: String(RECORD_COUNT),
    fault: null,
  });
  expect(await refresh()).toMatchObject({ outcome: "succeeded", listed: RECORD_COUNT });
  const good = new Map((await showRows(db)).map((row) => [row.id, visibleIn(row)]));

  return {
    /** Refreshes from what a festival says; expects the list that docs/product.md §7 wants then, or an untouched one. */
    async refreshFrom(saying: Festival): Promise<void> {
      const changed = new Map(saying.changes.map(({ index, change }) => [index, change]));
      const said = events.map((event, index) => (changed.get(index) ?? unchangedRecord)(event));
      const effects = said.map(({ effect }) => effect);
      const again = saying.twice.filter((index) => effects[index] !== "nameless");
      const records = [...said, ...again.flatMap((index) => said[index] ?? [])].map(({ json }) => json);
      const total = saying.total === "right" ? String(RECORD_COUNT) : saying.total;
      festival.serve({ records, total, fault: saying.trouble });

      const before = { rows: await showRows(db), listed: new Set(await listedIds(db)) };
      const outcome = await refresh();
      const reason = reasonToFail(saying, effects);
      if (reason) {
        expect(outcome).toMatchObject({ outcome: "failed", reason: expect.stringMatching(reason) });
        expect(await showRows(db)).toEqual(before.rows);
        return;
      }
      const isListed = (id: string, index: number) =>
        effects[index] === "listed" || (effects[index] !== "unlisted" && before.listed.has(id));
      const listed = ids.filter(isListed).sort();
      const skipped = effects.filter((effect) => effect === "skipped" || effect === "nameless").length;
      expect(outcome).toMatchObject({ outcome: "succeeded", listed: listed.length, skipped });
      expect(await listedIds(db)).toEqual(listed);
      const after = await showRows(db);
      expect(after.filter((row) => !isClean(row))).toEqual([]);
      const unspoiled = after.filter(({ id }) => !changed.has(ids.indexOf(String(id))));
      expect(unspoiled.map(visibleIn)).toEqual(unspoiled.map(({ id }) => good.get(id)));
      await expectToBeShown(database);
    },
    /** Refreshes from a list of which every page is the first one; expects that it is given up and nothing changed. */
    async refreshFromEndlessList(): Promise<void> {
      const before = await showRows(db);
      const records = Array<string>(100).fill("{}"); // quick to read
      festival.serve({ records, total: "100", fault: null, repeatsFirstPage: true });
      expect(await refresh()).toMatchObject({ outcome: "failed", reason: "The festival's list does not end." });
      expect(await showRows(db)).toEqual(before);
    },
    async close() {
      await festival.close();
      await database.close();
    },
  };
}

/** A row without what tells when and by whom it was written. */
function visibleIn({ xmin: _, created_at: _c, updated_at: _u, ...row }: Record<string, unknown>) {
  return row;
}

const lines = z
  .string()
  .regex(/^\S(.*\S)?$/su)
  .regex(/^[^[\p{Cs}[\p{Cc}--\n]]]*$/v);
const line = lines.regex(/^[^\n]*$/);

/** Texts as they may be shown: no control characters, no half characters, nothing blank; a website that can be gone to. */
const cleanRow = z.object({
  title: line,
  artist: line.nullable(),
  venue_name: line.nullable(),
  genre: line.nullable(),
  description: lines.nullable(),
  website: z.string().startsWith("http").nullable(),
});

const isClean = (row: Record<string, unknown>) => cleanRow.safeParse(row).success;

/** The list that visitors get is one of the API's. */
async function expectToBeShown({ db }: Database): Promise<void> {
  const catalogue = createCatalogue();
  await catalogue.replace(() => readSnapshot(db));
  for (const page of [1, 12])
    expect(showPage.safeParse(catalogue.find({ search: "", interaction: [], page }).page).error).toBeUndefined();
}
