import fc from "fast-check";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { noFaults } from "../../dev/fake-festival-api/faults.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import { startFakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { loadProgramme } from "../../dev/invented-data.ts";
import { YEAR } from "../../src/domain/programme.ts";
import { fetchProgramme } from "../../src/refresh/festival/fetch-programme.server.ts";
import { findShowsToUnlist } from "../../src/refresh/publish.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { fuzzRuns, untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { emptyTables } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

/** The record of one show at one refresh. */
type SentRecord = "missing" | "deleted" | "no title" | { title: string; status: "active" | "cancelled" };

const invented = loadProgramme({ size: 30 });
const programme: FestivalEvent[] = [];
const { db } = await setUpDatabase();
const fakeApi = await startFakeFestivalApi({ programme: () => programme });
afterAll(fakeApi.close);
fakeApi.faults.listDeleted = true;

const goodRecord = fc.record<Exclude<SentRecord, string>>({
  title: fc.constantFrom("First Title", "Second Title"),
  status: fc.constantFrom("active", "active", "cancelled"),
});
const sentRecord: fc.Arbitrary<SentRecord> = fc.oneof(
  { weight: 60, arbitrary: goodRecord },
  { weight: 10, arbitrary: fc.constantFrom("missing", "deleted") },
  { weight: 1, arbitrary: fc.constant("no title") },
);
const length = { minLength: invented.length, maxLength: invented.length };
const refreshes = fc.array(fc.array(sentRecord, length), { minLength: 2, maxLength: 5 });

/** Makes the fake API send these records from now on. */
function serve(records: readonly SentRecord[]): void {
  fakeApi.faults.spoiled.clear();
  programme.length = 0;
  for (const [index, event] of invented.entries()) {
    const record = records[index] ?? "missing";
    if (record === "missing") continue;
    if (record === "no title") fakeApi.faults.spoiled.set(idOf(event), "no title");
    const state =
      typeof record === "string" ? ({ status: record === "deleted" ? record : "active" } as const) : record;
    programme.push({ ...event, ...state });
  }
}

interface StoredShow {
  title: string;
  status: string;
  listed: boolean;
}

/**
 * The result of a refresh by docs/product.md §7: the shows by index, and the counts. Null if it must fail.
 */
function expectedResult(before: ReadonlyMap<number, StoredShow>, records: readonly SentRecord[]) {
  const after = new Map(before);
  const counts = { listed: 0, added: 0, changed: 0, removed: 0, returned: 0, skipped: 0 };
  for (const [index, record] of records.entries()) {
    const previous = before.get(index);
    if (record === "no title") counts.skipped++;
    else if (typeof record === "string") {
      if (previous?.listed) counts.removed++;
      if (previous) after.set(index, { ...previous, listed: false });
    } else {
      after.set(index, { ...record, listed: true });
      if (!previous) counts.added++;
      else if (!previous.listed) counts.returned++;
      else if (previous.title !== record.title || previous.status !== record.status) counts.changed++;
    }
  }
  counts.listed = [...after.values()].filter(({ listed }) => listed).length;
  const sent = records.filter((record) => record !== "missing").length;
  return counts.skipped > sent * 0.05 ? null : { after, counts };
}

const sorted = (shows: Iterable<[number, StoredShow]>) => new Map([...shows].sort(([a], [b]) => a - b));

/** The rows of `shows`, by index in the invented programme. */
async function storedShows(): Promise<Map<number, StoredShow>> {
  const rows = await storedRows(db, "shows", ["id", "title", "status", "listed"]);
  const indexes = new Map(invented.map((event, index) => [idOf(event), index]));
  return sorted(rows.map(({ id, ...show }) => [indexes.get(id) ?? -1, show]));
}

test("list and counts follow the rules of docs/product.md §7 through any sequence of refreshes", async () => {
  await fc.assert(
    fc.asyncProperty(
      refreshes,
      untilTimeLimit(async (sequence) => {
        await emptyTables(db);
        let shows = new Map<number, StoredShow>();
        for (const records of sequence) {
          serve(records);
          const result = expectedResult(shows, records);
          const log = pino({ level: "silent" });
          const outcome = await refreshShows({ db, api: fakeApi, log, allowShrink: true });
          if (result === null) expect(outcome.outcome).toBe("failed");
          else expect(outcome).toEqual({ outcome: "succeeded", ...result.counts });
          shows = result?.after ?? shows;
          expect(await storedShows()).toEqual(sorted(shows));
        }
      }),
    ),
    { numRuns: 6 },
  );
});

const small = loadProgramme({ size: 210 }).map((show) => ({
  ...show,
  description: null,
  performances: [],
}));
const rule = fc.record({
  kind: fc.constant("changed" as const),
  times: fc.integer({ min: 1, max: 4 }),
  probability: fc.constantFrom(0.3, 1),
});

test("no show is unlisted that is in the list before and after it changes between pages (docs/product.md §7.3)", async () => {
  const changes = fc.record({ seed: fc.nat(), rules: fc.array(rule, { minLength: 1, maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(
      changes,
      untilTimeLimit(async ({ seed, rules }) => {
        const changing = [...small];
        const faults = { ...noFaults(), rules };
        const api = await startFakeFestivalApi({ programme: () => changing, faults, seed });
        const listed = small.map(idOf);
        const log = pino({ level: "silent" });
        const fetched = await fetchProgramme({ ...api, log }, { year: YEAR, listed }).finally(api.close);
        const left = new Set(changing.map(idOf));
        expect(findShowsToUnlist(listed, fetched).filter((id) => left.has(id))).toEqual([]);
      }),
    ),
    fuzzRuns(20),
  );
});
