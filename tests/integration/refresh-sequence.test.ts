import fc from "fast-check";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FestivalEvent } from "../../dev/fake-festival-api/event.ts";
import { idOf } from "../../dev/fake-festival-api/listing.ts";
import { inventProgramme } from "../../dev/fake-festival-api/programme.ts";
import { type FakeFestivalApi, startFakeFestivalApi } from "../../dev/fake-festival-api/server.ts";
import type { Database } from "../../src/database/open.server.ts";
import { refreshShows } from "../../src/refresh/run-refresh.server.ts";
import { whileThereIsTime } from "../support/fuzz/rounds.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { emptyTables } from "../support/refreshes.ts";

/** What the festival says of one show at one refresh. */
type Said = "nothing" | "deleted" | "no title" | { title: string; status: "active" | "cancelled" };

const invented = inventProgramme({ size: 30 });
const programme: FestivalEvent[] = [];
let database: Database;
let fake: FakeFestivalApi;

beforeAll(async () => {
  database = await createTestDatabase();
  fake = await startFakeFestivalApi({ programme: () => programme });
  fake.faults.listDeleted = true;
});
afterAll(async () => {
  await fake.close();
  await database.close();
});

const good = fc.record<Exclude<Said, string>>({
  title: fc.constantFrom("First Title", "Second Title"),
  status: fc.constantFrom("active", "active", "cancelled"),
});
const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 60, arbitrary: good },
  { weight: 10, arbitrary: fc.constantFrom("nothing", "deleted") },
  { weight: 1, arbitrary: fc.constant("no title") },
);
const refreshes = fc.array(fc.array(said, { minLength: invented.length, maxLength: invented.length }), {
  minLength: 2,
  maxLength: 5,
});

/** Makes the festival say this from now on. */
function say(all: readonly Said[]): void {
  fake.faults.spoiled.clear();
  programme.length = 0;
  for (const [index, event] of invented.entries()) {
    const one = all[index] ?? "nothing";
    if (one === "nothing") continue;
    if (one === "no title") fake.faults.spoiled.set(idOf(event), "no title");
    const state = typeof one === "string" ? ({ status: one === "deleted" ? one : "active" } as const) : one;
    programme.push({ ...event, ...state });
  }
}

interface Stored {
  title: string;
  status: string;
  listed: boolean;
}

/** What a refresh does, by docs/product.md §7: the new shows by index, and the counts; null when it must fail. */
function expected(before: ReadonlyMap<number, Stored>, all: readonly Said[]) {
  const after = new Map(before);
  const counts = { listed: 0, added: 0, changed: 0, removed: 0, returned: 0, skipped: 0 };
  for (const [index, one] of all.entries()) {
    const old = before.get(index);
    if (one === "no title") counts.skipped++;
    else if (typeof one === "string") {
      if (old?.listed) counts.removed++;
      if (old) after.set(index, { ...old, listed: false });
    } else {
      after.set(index, { ...one, listed: true });
      if (!old) counts.added++;
      else if (!old.listed) counts.returned++;
      else if (old.title !== one.title || old.status !== one.status) counts.changed++;
    }
  }
  counts.listed = [...after.values()].filter(({ listed }) => listed).length;
  const seen = all.filter((one) => one !== "nothing").length;
  return counts.skipped > seen * 0.05 ? null : { after, counts };
}

/** The stored shows by their index in the invented programme. */
async function stored(): Promise<Map<number, Stored>> {
  const rows = await database.db.selectFrom("shows").select(["id", "title", "status", "listed"]).execute();
  const indexes = new Map(invented.map((event, index) => [idOf(event), index]));
  return new Map(
    rows.map(({ id, ...show }): [number, Stored] => [indexes.get(id) ?? -1, show]).sort(([a], [b]) => a - b),
  );
}

test("whatever the festival says from refresh to refresh, the list and the counts are what docs/product.md says", async () => {
  await fc.assert(
    fc.asyncProperty(
      refreshes,
      whileThereIsTime(async (sayings) => {
        await emptyTables(database.db);
        let known = new Map<number, Stored>();
        for (const all of sayings) {
          say(all);
          const right = expected(known, all);
          const log = pino({ level: "silent" });
          const outcome = await refreshShows({ db: database.db, api: fake, log, allowShrink: true });
          if (right === null) expect(outcome.outcome).toBe("failed");
          else expect(outcome).toEqual({ outcome: "succeeded", ...right.counts });
          known = right?.after ?? known;
          expect(await stored()).toEqual(new Map([...known].sort(([a], [b]) => a - b)));
        }
      }),
    ),
    { numRuns: 25 },
  );
});
