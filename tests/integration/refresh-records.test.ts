import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import { inventProgramme } from "../../dev/fake-festival-api/programme.ts";
import { startFakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { untilTimeLimit } from "../support/fuzz/fuzz-runs.ts";
import { emptyTables } from "../support/refreshes.ts";
import { setUpDatabase } from "../support/set-up.ts";
import { storedRows } from "../support/stored.ts";

/** The record of one show at one refresh. */
type SentRecord = "missing" | "deleted" | "no title" | { title: string; status: "active" | "cancelled" };

const invented = inventProgramme({ size: 30 });
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

/** Real records of the API, outside of the repository. */
const folder = fileURLToPath(new URL("../../../shared/data/festival-api/", import.meta.url));

/** Serves the records of a file as the Fringe's programme, and imports it. */
async function importFile(file: string, year: number) {
  await emptyTables(db);
  const records: FestivalEvent[] = JSON.parse(readFileSync(`${folder}${file}`, "utf8"));
  const programme = records.map((record) => ({ ...record, festival_id: "fringe" }));
  const fake = await startFakeFestivalApi({ programme: () => programme });
  const log = pino({ level: "silent" });
  const outcome = await refreshShows({ db, api: fake, log, year });
  await fake.close();
  const shows = await db.selectFrom("shows").selectAll().where("year", "=", year).execute();
  return { outcome, shows };
}

test.skipIf(!existsSync(folder))("imports a real record of the demo Fringe of 2026", async () => {
  const { outcome, shows } = await importFile("demofringe2026_event_sample.json", 2026);
  expect(outcome).toMatchObject({ outcome: "succeeded", listed: 1, skipped: 0 });
  expect(shows).toMatchObject([
    {
      id: "2c95ba44394448599f9fd5986589038bff7cfe36",
      title: "FAKE On the Watchlist",
      artist: "DEMO: Jay Servedio",
      venue_name: "DEMO: Mash Tonic The House at Just The",
      genre: "Comedy",
      website: "https://www.edfringe.com/tickets/whats-on/2026ONTHEWA",
      description: expect.stringMatching(/^DEMO: incisive .* Jay's$/),
      status: "active",
      listed: true,
      warnings: ["Contains distressing or potentially triggering themes", "Strong language/swearing"],
      details: {
        performance_space: { name: "DEMO: Just Room Cask The", capacity: 80, wheelchair_access: false },
        country: "UNITED STATES",
        venue: {
          post_code: "EH1 1JG",
          disabled_description: expect.stringMatching(/^DEMO: Assistance Cowgate /),
          position: { lat: 55.948515, lon: -3.187059 },
        },
        performances: [
          { start: "2026-08-06 15:45:00", minutes: 60 },
          { start: "2026-08-10 15:45:00", minutes: 60 },
        ],
      },
    },
  ]);
});

test.skipIf(!existsSync(folder))("imports ten real records of a film festival of 2015", async () => {
  const { outcome, shows } = await importFile("eiff2015_events_api_sample.json", 2015);
  expect(outcome).toMatchObject({ outcome: "succeeded", listed: 10, skipped: 0 });
  const show = (title: string) => shows.find((candidate) => candidate.title === title);
  expect(show("Kafka’s The Burrow (Kafka’s Der Bau)")).toMatchObject({
    id: "209591f581b9a098ff9e356278b41f2a23a43320",
    artist: null,
    venue_name: "Filmhouse",
    genre: "Film",
    website: "http://www.edfilmfest.org.uk/films/2015/kafkas-the-burrow",
    description: expect.stringMatching(
      /^Adapted from Kafka's 1923 short story Der Bau, and .* as it first appeared\.$/,
    ),
  });
  expect(show("45 Years")?.description).toContain("Andrew Haigh’s subtly devastating film");
  expect(show("Future Shock! The Story of 2000AD")?.description).toContain("\n\n• Director Paul Goodwin\n• ");
  for (const { description, title } of shows)
    expect(`${title} ${description}`).not.toMatch(/<\/?\w|&\w+;|\u00a0|null/);
});
